import EventLog
import EventLogErasure

extension Verb {
  static let erase = Verb(
    name: "erase", summary: "erase an entity, past values or events from every copy",
    usage: [
      "erase JOURNAL ENTITY [--plan]", "erase JOURNAL ENTITY FIELD [--plan]",
      "erase JOURNAL EVENT-ID … [--plan]", "erase JOURNAL --prove [PLACE …] [--needle -]",
      "erase JOURNAL --agree",
    ],
    options: [
      OptionSpec("plan", nil, "only print what would be erased"),
      OptionSpec("prove", nil, "list the files that still contain something that is erased"),
      OptionSpec("needle", "-", "also look for the texts on standard input, one on each line"),
      OptionSpec("agree", nil, "overwrite what another device has erased of most of the journal"),
      OptionSpec("device", "NAME", "prefix of a new device ID (default: this machine's name)"),
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog erase ada.jsonl habit/read --plan", "which events would be erased"),
      ("eventlog erase ada.jsonl habit/read", "deletes the habit and erases all its events"),
      ("eventlog erase ada.jsonl profile height", "erases the past values; the present one stays"),
      ("eventlog erase ada.jsonl --prove shared", "searches the journal and a folder"),
    ],
    notes: [
      "An event says what is erased, and reaches every device. Each overwrites the contents in its"
        + "\njournal, and the next sync replaces them at each place. It cannot be undone.",
      "If another device erases most of a journal, the contents are kept here until --agree.",
      "Events whose value is shown are not erased: change or delete it first.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "erase")
    if arguments.has("prove") { return try await prove(path, arguments, console) }
    if arguments.has("agree") { return try await agree(path, arguments, console) }
    let erasure = try erasure(arguments.operands.dropFirst().map { $0 })
    let store = try await open(path, arguments, console)
    let isPlan = arguments.has("plan")
    let report = try await store.erase(erasure, dryRun: isPlan)
    try ErasureOutput(report: report, isPlan: isPlan, console: console).print()
    try await store.close()
    return .yes
  }

  private static func open(
    _ path: String, _ arguments: Arguments, _ console: Console
  ) async throws -> EventStore {
    var options = JournalOptions(
      deviceName: arguments["device"], user: Terminal.isMissing(path) ? nil : arguments["user"])
    options.fileSystem = console.progress.fileSystem
    console.showReadingProgress([path])
    return try await EventStore.open(
      path: path, options: options, catalog: try arguments.catalog())
  }

  private static func agree(
    _ path: String, _ arguments: Arguments, _ console: Console
  ) async throws -> ExitStatus {
    if arguments.operands.count > 1 {
      throw EventLogError.usage("The option --agree takes a journal and nothing else.", "erase")
    }
    let store = try await open(path, arguments, console)
    let count = try await store.agreeToErasures()
    try await store.close()
    if console.isJSON {
      try console.print("{\"overwritten\":\(count)}")
    } else {
      try console.print(
        count == 0
          ? "There is nothing to overwrite."
          : "The contents of \(plural(count, "erased event")) were overwritten.")
    }
    return .yes
  }

  private static func prove(
    _ path: String, _ arguments: Arguments, _ console: Console
  ) async throws -> ExitStatus {
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    let texts = try texts(arguments, console)
    var proof = try ErasureProof(journal, lookingFor: texts)
    if arguments.operands.count > 1 {
      for target in try SyncTarget.read(arguments.operands.dropFirst(), of: journal, "erase") {
        if case .folder(let path) = target.address, Terminal.isMissing(path) {
          throw EventLogError(
            .noJournal, "There is nothing at \"\(Visible.text(path))\", so nothing was proved.",
            hint: "Check the path.", at: .init(file: path))
        }
        try await proof.search(try Verb.remote(target.address))
      }
    }
    try ErasureProofOutput(proof: proof, hasTexts: !texts.isEmpty, console: console).print()
    note(short: ErasureProof.mayMissInBase64(texts), console)
    return proof.remainders.isEmpty ? .yes : .no
  }

  /// - Parameter numbers: The numbers of texts that a search in Base64 may miss.
  private static func note(short numbers: [Int], _ console: Console) {
    if numbers.isEmpty { return }
    let list = numbers.prefix(5).map(String.init).joined(separator: ", ")
    console.note(
      "Note: \(plural(numbers.count, "text")) of less than 7 bytes may be missed in Base64, where"
        + " so few characters prove nothing: \(list)\(numbers.count > 5 ? " …" : "").")
  }

  /// The texts on standard input, if it is to be read.
  private static func texts(_ arguments: Arguments, _ console: Console) throws -> [String] {
    guard let source = arguments["needle"] else { return [] }
    if source != "-" {
      throw EventLogError.usage(
        "The option --needle takes only \"-\": texts on the command line are seen by others.",
        "erase")
    }
    guard let input = try Terminal.readInput(limit: 1 << 20) else {
      throw EventLogError(.invalidInput, "The texts have more than 1 MiB. Nothing was searched.")
    }
    let texts = String(decoding: input, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    if texts.allSatisfy(\.isEmpty) {
      throw EventLogError.usage("Standard input has no texts to look for.", "erase")
    }
    return texts
  }

  private static func erasure(_ operands: [String]) throws(EventLogError) -> Erasure {
    guard let first = operands.first else {
      throw .usage("eventlog erase needs an entity or an event.", "erase")
    }
    let events = operands.compactMap { EventID($0) }
    if events.count == operands.count { return .events(events) }
    if operands.count == 2 { return .field(operands[1], of: first) }
    guard operands.count == 1, let entity = EntityID(first) else {
      throw .usage(
        "eventlog erase takes an entity, an entity and a field, or event IDs.", "erase")
    }
    return .entity(entity)
  }
}
