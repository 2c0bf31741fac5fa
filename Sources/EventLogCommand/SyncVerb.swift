import EventLog

extension Verb {
  static let sync = Verb(
    name: "sync", summary: "replicate with another place, both ways",
    usage: ["sync JOURNAL [REMOTE …]"],
    options: [
      OptionSpec("plan", nil, "say what would be done, and do none of it"),
      OptionSpec(
        "check", nil, "with --plan: answer by the exit code, 1 if there is something to do"),
      OptionSpec("pull", nil, "only take"), OptionSpec("push", nil, "only give"),
      OptionSpec("forget", nil, "forget the remotes instead"),
      .readAround, .schema, .json,
    ],
    examples: [
      ("eventlog sync ada.jsonl stick/ada.jsonl", "with another copy of the journal"),
      ("eventlog sync ada.jsonl Shared", "with a folder that several devices share"),
      ("eventlog sync ada.jsonl", "with all remotes that it has met"),
      ("eventlog sync new.jsonl Shared", "begins a journal on a second device"),
      ("eventlog sync ada.jsonl --plan", "what would cross, and which conflicts would arise"),
    ],
    notes: [
      "REMOTE is a journal (a path that ends in .jsonl) or a folder (any other path). It is"
        + "\nremembered; --forget forgets it.",
      "Each side takes the events that it lacks, of all devices, as they stand, and checks them"
        + "\ncompletely first. Running it again, or twice at once, changes nothing; what an"
        + "\ninterrupted run has taken stays.",
      "Edits that did not know of each other become conflicts: nothing is overwritten."
        + "\nThe exit code is 1 if something was left out, because one side would not take it or"
        + "\nbecause a device has a fork.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "sync")
    let run = try SyncRun(arguments, path: path, console)
    if arguments.has("forget") { return try run.forget() }
    return try await run.perform()
  }
}

/// One call of `eventlog sync`.
private struct SyncRun {
  let path: String
  let console: Console
  let isRehearsal: Bool
  private let answersByCode: Bool
  private let directions: ReplicationPlan.Directions
  private let store: EventStore
  private let journal: Journal
  private let places: [Place]

  /// A remote, and what the person calls it.
  struct Place {
    let address: RemoteAddress
    let name: String
  }

  init(_ arguments: Arguments, path: String, _ console: Console) throws {
    self.path = path
    self.console = console
    isRehearsal = arguments.has("plan")
    answersByCode = arguments.has("check")
    if answersByCode, !isRehearsal {
      throw EventLogError.usage("--check goes with --plan.", "sync")
    }
    switch (arguments.has("pull"), arguments.has("push")) {
    case (true, true): throw EventLogError.usage("--pull and --push exclude each other.", "sync")
    case (true, false): directions = .pull
    case (false, true): directions = .push
    case (false, false): directions = .both
    }
    journal = Journal(path: path)
    places = try Self.places(arguments, journal)
    store = EventStore.unread(
      path: path, options: JournalOptions(deviceName: Terminal.hostName),
      catalog: try arguments.catalog(), readsAroundDamage: arguments.has("read-around"))
  }

  /// Those that are named, else those that are remembered.
  private static func places(_ arguments: Arguments, _ journal: Journal) throws -> [Place] {
    let named = arguments.words.dropFirst()
    let folder = Terminal.currentFolder
    let own = RemoteAddress.journal(path: journal.path).absolute(in: folder)
    var places: [Place] = []
    for word in named.isEmpty ? journal.remotes[...] : named {
      guard let address = RemoteAddress(word)?.absolute(in: folder) else {
        throw EventLogError.usage("\"\(Table.cell(word))\" names no remote.", "sync")
      }
      guard address.description != own.description else {
        throw EventLogError.usage("\"\(Table.cell(word))\" is the journal itself.", "sync")
      }
      if !places.contains(where: { $0.address == address }) {
        places.append(Place(address: address, name: word))
      }
    }
    guard places.isEmpty else { return places }
    throw EventLogError.usage(
      "\(Table.cell(journal.path)) remembers no remote.", "sync",
      hint: "Name one: eventlog sync \(Table.cell(journal.path)) REMOTE")
  }

  func forget() throws -> Verb.Answer {
    for place in places {
      let isKnown = journal.forget(place.address.description)
      console.note(
        isKnown
          ? "Forgot \(Table.cell(place.name))." : "\(Table.cell(place.name)) was not remembered.")
    }
    return .yes
  }

  func perform() async throws -> Verb.Answer {
    var outcomes: [SyncOutcome] = []
    let isNew = Terminal.isMissing(path)
    for place in places { outcomes.append(await meet(place)) }
    if !isRehearsal { await meetAgain(&outcomes) }
    let report = SyncOutcomeReport(
      path: path, outcomes: outcomes, isRehearsal: isRehearsal, isNew: isNew, console: console)
    do {
      try report.print()
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isRehearsal {
      throw EventLogError(
        writtenUnsaid: "The synchronization is done; only its report could not be written:"
          + " \(reason).")
    }
    try? await store.close()
    return try answer(outcomes)
  }

  private func answer(_ outcomes: [SyncOutcome]) throws -> Verb.Answer {
    if let error = outcomes.lazy.compactMap(\.error).first { throw error }
    let isWhole = outcomes.allSatisfy { $0.report.refused.isEmpty && $0.report.forks.isEmpty }
    if answersByCode { return outcomes.allSatisfy(\.isEmpty) && isWhole ? .yes : .no }
    return isWhole ? .yes : .no
  }

  private func meet(_ place: Place) async -> SyncOutcome {
    var outcome = SyncOutcome(address: place.name)
    do {
      outcome.report = try await run(place.address)
      if !isRehearsal { journal.remember(place.address.description) }
    } catch let error as EventLogError {
      outcome.error = error
    } catch {
      outcome.error = EventLogError(.inputOutput, "\(error)")
    }
    console.clearProgress()
    return outcome
  }

  /// What a later remote has brought goes to the earlier ones too.
  private func meetAgain(_ outcomes: inout [SyncOutcome]) async {
    guard let last = outcomes.lastIndex(where: { !$0.report.pulled.isEmpty }), last > 0 else {
      return
    }
    for index in 0..<last where outcomes[index].error == nil {
      let again = await meet(places[index])
      outcomes[index].error = again.error
      outcomes[index].report.formUnion(again.report)
    }
  }

  private func run(_ address: RemoteAddress) async throws -> SyncReport {
    let replication = store.replication(
      with: try Verb.remote(address), directions, rehearsing: isRehearsal)
    var report = SyncReport()
    for try await progress in replication {
      switch progress {
      case .planned: break
      case .pulled(let count, let total):
        console.progress("  pulling \(count) of \(total) events")
      case .pushed(let count, let total):
        console.progress("  pushing \(count) of \(total) events")
      case .finished(let done): report = done
      }
    }
    return report
  }
}

/// What came of one remote.
struct SyncOutcome {
  let address: String
  var report = SyncReport()
  var error: EventLogError?

  /// Whether nothing had to be done.
  var isEmpty: Bool { report.pulled.isEmpty && report.pushed.isEmpty && error == nil }
}
