import EventLog
import EventLogClouds
import EventLogRemotes

extension Verb {
  static let publish = Verb(
    name: "publish", summary: "write the state as documents for other clients",
    usage: ["publish JOURNAL ADDRESS --layout FILE", "publish JOURNAL --layout FILE --plan"],
    options: [
      OptionSpec("layout", "FILE", "which documents the state has"),
      OptionSpec("plan", nil, "only print what would be written"),
      .today, .acceptDevices, .user, .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      (
        "eventlog publish ada.jsonl --layout SampleLogs/seeds.json --plan",
        "the documents of the state; nothing is sent"
      ),
      (
        "eventlog publish ada.jsonl --layout SampleLogs/seeds.json --plan --json",
        "with their fields"
      ),
    ],
    notes: [
      "ADDRESS is firestore://PROJECT/USER. The documents are copies for clients that know nothing"
        + "\nof journals: eventlog never reads them back. It syncs with ADDRESS first, then writes"
        + "\nonly what differs from what was published last. Several devices can publish.",
      "A layout lists documents, each with a path, a section as project --json prints it, and"
        + "\noptionally fields and conditions. The section awards has the points of each day."
        + "\nIncrease the layout's version when you change it: publishers that still have an"
        + "\nearlier one then change nothing.",
    ]
  ) { arguments, console in
    try await PublishRun(arguments, path: Verb.journal(arguments, "publish"), console).perform()
  }
}

/// One call of `eventlog publish`.
private struct PublishRun {
  /// The largest layout, in bytes.
  private static let layoutBytesMax = 100_000

  private let path: String
  /// The path of the layout file.
  private let file: String
  private let console: Console
  private let isDryRun: Bool
  private let layout: DocumentLayout
  private let cloudAddress: CloudAddress?
  private let catalog: SchemaCatalog
  private let today: Day?
  private let journal: Journal
  private let user: String?
  private let devicesMax: Int

  init(_ arguments: Arguments, path: String, _ console: Console) throws {
    (self.path, self.console) = (path, console)
    isDryRun = arguments.has("plan")
    guard let file = arguments["layout"] else {
      throw EventLogError.usage("eventlog publish needs --layout FILE.", "publish")
    }
    self.file = file
    layout = try Self.layout(file)
    cloudAddress = try arguments.operands.dropFirst().first.map { try Self.cloudAddress($0) }
    if cloudAddress == nil, !isDryRun {
      throw EventLogError.usage(
        "eventlog publish needs an address.", "publish",
        hint: "Add firestore://PROJECT/USER, or only list the documents with --plan.")
    }
    (user, devicesMax) = (arguments["user"], arguments.devicesMax)
    catalog = try arguments.catalog()
    today = try arguments.today("publish")
    journal = Journal(path: path, catalog: catalog, user: user)
  }

  private static func layout(_ file: String) throws -> DocumentLayout {
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(file, limit: layoutBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput, "Could not read the layout \"\(Visible.text(file))\": \(error.reason).",
        hint: "Check the path after --layout.", at: .init(file: file))
    }
    guard let bytes else {
      throw EventLogError(
        invalidInput: "\(Visible.text(file)): a layout may have at most \(layoutBytesMax) bytes.",
        hint: "Split it into several layouts with names of their own.")
    }
    do throws(EventLogError) { return try DocumentLayout(parsing: bytes) } catch {
      throw naming(file, error)
    }
  }

  /// Returns the error with the layout file as its location.
  private static func naming(_ file: String, _ error: EventLogError) -> EventLogError {
    EventLogError(
      error.code, Visible.text("\(file): \(error.message)"), hint: error.hint.map(Visible.text),
      at: .init(file: file))
  }

  private static func cloudAddress(_ text: String) throws(EventLogError) -> CloudAddress {
    let address = text.contains("://") ? try CloudAddress(text) : nil
    guard let address, case .firestore = address else {
      throw .usage(
        "Documents can't be published to \"\(Visible.text(text))\".", "publish",
        hint: "Only Firestore takes them: firestore://PROJECT/USER")
    }
    return address
  }

  func perform() async throws -> Verb.ExitStatus {
    do { return try await performUnnamed() } catch let error as EventLogError {
      // Errors that depend on the state don't name the file yet.
      guard error.code == .invalidSchema, error.location.file == nil else { throw error }
      throw Self.naming(file, error)
    }
  }

  private func performUnnamed() async throws -> Verb.ExitStatus {
    if Terminal.isMissing(path) {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(path))\". Nothing was changed.",
        hint: "Check the path.")
    }
    guard let cloudAddress, let documents = try cloudAddress.documentStore(.ofTerminal) else {
      try printDocuments()
      return .yes
    }
    let publisher = Publisher(
      layout, to: documents, computing: Awards.sections(catalog, today: today))
    let store = EventStore.unread(
      path: path,
      options: JournalOptions(user: user, devicesMax: devicesMax),
      catalog: catalog)
    let report =
      isDryRun
      ? try await publisher.dryRun(store)
      : try await publisher.publish(
        store, syncingWith: ObjectRemote(try cloudAddress.storage(.ofTerminal)))
    try? await store.close()
    do {
      try print(report, at: documents.address)
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The documents are published; only the report could not be written:"
          + " \(reason).", hint: "It is safe to run it again.")
    }
    return .yes
  }

  // MARK: - The report

  private func print(_ report: PublishReport, at address: String) throws {
    if console.isJSON {
      var object: JSONObject = [
        "address": .string(address), "deleted": .array(report.deleted.map { .string($0) }),
        "documentCount": .number(JSONNumber(Int64(report.documentCount))),
        "written": .array(report.written.map { .string($0) }),
      ]
      if isDryRun { object["plan"] = true }
      return try console.print(JSONValue.object(object).text)
    }
    for path in report.written { try console.print("write   \(Visible.text(path))") }
    for path in report.deleted { try console.print("delete  \(Visible.text(path))") }
    let shown = Visible.text(address)
    if report.isEmpty {
      return try console.print(
        "\(shown) has the \(plural(report.documentCount, "document")) of this state.")
    }
    let verb = isDryRun ? "Would write" : "Wrote"
    let deleted =
      report.deleted.isEmpty
      ? "" : " and \(isDryRun ? "delete" : "deleted") \(report.deleted.count)"
    try console.print(
      "\(verb) \(plural(report.written.count, "document"))\(deleted) at \(shown); the state has"
        + " \(report.documentCount).")
  }

  /// Prints the documents of the state, without comparing them with published ones.
  private func printDocuments() throws {
    let read = try journal.snapshot()
    console.warn(ofDamage: read.firstDamage, of: read.damageCount, in: path)
    let documents = try layout.documents(
      of: read.snapshot, for: read.snapshot.user ?? "",
      computing: Awards.sections(catalog, today: today)
    ).values.sorted { $0.path.precedes($1.path) }
    if console.isJSON {
      let rows = documents.map { document -> JSONValue in
        ["fields": document.json, "path": .string(document.path)]
      }
      return try console.print(JSONValue.object(["documents": .array(rows)]).text)
    }
    for document in documents { try console.print(Visible.text(document.path)) }
  }
}
