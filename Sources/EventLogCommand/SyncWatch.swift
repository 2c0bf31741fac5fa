import EventLog
import EventLogAttachments
import EventLogRemotes

/// One call of `eventlog sync --watch`: syncs once, then after each change, until it's interrupted.
struct SyncWatch {
  private typealias End = (address: String, result: Result<SyncReport, EventLogError>)

  private let arguments: Arguments
  private let path: String
  private let console: Console
  private let first: SyncRun

  init(_ arguments: Arguments, _ path: String, _ console: Console) throws {
    for option in ["plan", "check", "pull", "push"] where arguments.has(option) {
      throw EventLogError.usage("--watch and --\(option) cannot be combined.", "sync")
    }
    (self.arguments, self.path, self.console) = (arguments, path, console)
    first = try SyncRun(arguments, path: path, console, isWatching: true)
  }

  func perform() async throws -> Verb.ExitStatus {
    var wasReported = false
    do {
      _ = try await first.perform()
    } catch let error as EventLogError where mayRecover(error) && !Terminal.isMissing(path) {
      wasReported = true
      console.note("Could not sync: \(error.message) It will be retried.")
      if let hint = error.hint { console.note("Hint: \(hint)") }
    }
    try console.flush()
    let store = try await EventStore.open(
      path: path,
      options: JournalOptions(
        user: arguments["user"], devicesMax: arguments.devicesMax),
      catalog: try arguments.catalog())
    try await watch(store, wasReported: wasReported)
    try? await store.close()
    return .yes
  }

  /// Whether a retry may succeed.
  private func mayRecover(_ error: EventLogError) -> Bool {
    // A remembered remote may come back.
    error.code == .noJournal && first.targets.allSatisfy(\.isRemembered)
      || [.remoteFailed, .inputOutput, .locked].contains(error.code)
  }

  /// - Parameter wasTold: Whether a failure was already reported.
  private func watch(_ store: EventStore, wasReported: Bool) async throws {
    let targets = first.targets
    let remotes = try targets.map { target in
      try Verb.remote(
        target.address, options: JournalOptions(devicesMax: arguments.devicesMax))
    }
    let names = Dictionary(
      zip(remotes.map(\.address), targets.map(\.name)), uniquingKeysWith: { first, _ in first })
    let (ends, sink) = AsyncStream.makeStream(of: End.self)
    let tools = ReplicatorTools(onEnd: { sink.yield((address: $0, result: $1)) })
    let replicator = store.replicate(with: remotes, using: tools)
    let syncing = try SyncAttachments(arguments, path, console)
    let attachments = syncing.following(replicator, of: store, at: remotes)
    defer { withExtendedLifetime(attachments) {} }
    Terminal.onInterrupt { sink.finish() }
    var failures: [String: String] = [:]
    var (hasNotedUnknown, hasNotedAttachments) = (false, false)
    var isFirst = Set(targets.map(\.name))
    for await end in ends {
      let name = names[end.address] ?? end.address
      switch end.result {
      case .success(let report):
        let isBack = failures.removeValue(forKey: name) != nil
        try print(SyncOutcome(address: name, report: report), evenIfSame: isBack)
        if !report.pulled.isEmpty, !hasNotedUnknown, !store.snapshot.unknownNames.isEmpty {
          hasNotedUnknown = true
          console.note(undeclared: store.snapshot.unknownNames, in: path)
        }
        if !hasNotedAttachments { hasNotedAttachments = await syncing.noteUndeclared(of: store) }
        isFirst.remove(name)
      case .failure(let error):
        // Repeated failures are reported once.
        let isNew = failures.updateValue(error.message, forKey: name) != error.message
        let isReported =
          isFirst.remove(name) != nil && wasReported && !Replicator.isFinal(error.code)
        guard isNew, !isReported else { continue }
        try await report(error, of: name, at: end.address, replicator)
      }
    }
    await replicator.stop()
  }

  private func print(_ outcome: SyncOutcome, evenIfSame: Bool) throws {
    if outcome.isEmpty, outcome.report.refused.isEmpty, !evenIfSame { return }
    try SyncOutcomeReport(
      path: path, outcomes: [outcome], isDryRun: false, directions: .both, isNew: false,
      console: console
    ).print()
    try console.flush()
  }

  /// - Throws: The error, if no remote is left to retry.
  private func report(
    _ error: EventLogError, of name: String, at address: String, _ replicator: Replicator
  ) async throws {
    if !Replicator.isFinal(error.code) {
      console.note("Could not sync with \(name): \(error.message) It will be retried.")
      if let hint = error.hint { console.note("Hint: \(hint)") }
      return
    }
    // This remote's own status is updated only after this call.
    let others = replicator.statuses.filter {
      if case .stopped = $0.phase { false } else { $0.id != address }
    }
    guard !others.isEmpty else {
      await replicator.stop()
      throw error
    }
    console.note("Could not sync with \(name), and will not retry: \(error.message)")
    if let hint = error.hint { console.note("Hint: \(hint)") }
  }
}
