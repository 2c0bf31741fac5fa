import EventLog

/// What came of one step of a repair: of the journal alone, or with one remote.
struct RepairOutcome {
  /// What the person calls the remote; nil for the journal alone.
  let remote: String?
  /// Of each time that it was met.
  var reports: [RepairReport] = []
  var error: EventLogError?

  /// What is left after the last time.
  var isWhole: Bool { reports.last.map { $0.forks.isEmpty && $0.refused.isEmpty } ?? true }
}

/// One call of `eventlog repair`.
struct RepairRun {
  private let path: String
  private let console: Console
  private let journal: Journal
  private let options: JournalOptions
  private let givesUp: Bool
  private let places: [SyncPlace]

  init(_ arguments: Arguments, _ console: Console) throws {
    path = try Verb.journal(arguments, "repair")
    self.console = console
    journal = Journal(path: path)
    options = JournalOptions(deviceName: Terminal.hostName, user: arguments["user"])
    givesUp = arguments.has("abandon")
    let other = arguments["from"]
    if givesUp, other != nil {
      throw EventLogError.usage("--from and --abandon exclude each other.", "repair")
    }
    if givesUp || other == nil && journal.remotes.isEmpty {
      places = []
    } else {
      places = try SyncPlace.read((other.map { [$0] } ?? [])[...], of: journal, "repair")
    }
  }

  func perform() async throws -> Verb.Answer {
    // What needs no other copy is done, and said, whoever cannot be reached.
    let alone = try await journal.repair(givingUp: givesUp, options: options)
    var outcomes: [RepairOutcome] = []
    for place in places {
      outcomes.append(await meet(place))
      if outcomes.last?.error?.code == .cancelled { break }
    }
    await meetAgain(&outcomes)
    outcomes.insert(RepairOutcome(remote: nil, reports: [alone]), at: 0)
    if outcomes.contains(where: { $0.error != nil }) {
      // One that failed may have brought something first.
      let rest = try await journal.repair(options: options)
      outcomes.append(RepairOutcome(remote: nil, reports: [rest]))
    }
    let output = RepairOutput(path: path, outcomes: outcomes, console: console)
    try output.print()
    try console.flush()
    if let error = outcomes.lazy.compactMap(\.error).first { throw error }
    return output.isWhole ? .yes : .no
  }

  private func meet(_ place: SyncPlace) async -> RepairOutcome {
    var outcome = RepairOutcome(remote: place.name)
    do {
      if place.isRemembered, place.isMissing { throw place.gone("is not there", from: path) }
      let remote = try Verb.remote(place.address)
      outcome.reports = [try await journal.repair(from: remote, options: options)]
    } catch let error as EventLogError {
      outcome.error =
        place.isRemembered && error.code == .noJournal && !place.isMissing
        ? place.gone("holds no event any more", from: path) : error
    } catch {
      outcome.error = EventLogError(.inputOutput, "\(error)")
    }
    return outcome
  }

  /// What a later remote has brought may be what an earlier one could not be settled without.
  private func meetAgain(_ outcomes: inout [RepairOutcome]) async {
    guard !outcomes.contains(where: { $0.error?.code == .cancelled }),
      let last = outcomes.lastIndex(where: { !$0.reports.allSatisfy(\.isEmpty) }), last > 0
    else { return }
    for index in 0..<last where outcomes[index].error == nil && !outcomes[index].isWhole {
      let again = await meet(places[index])
      outcomes[index].error = again.error
      outcomes[index].reports += again.reports
    }
  }
}
