import EventLog
import EventLogAttachments
import EventLogInspection
import EventLogRemotes

/// One call of `eventlog sync`.
struct SyncRun {
  let path: String
  let console: Console
  let isDryRun: Bool
  private let reportsByExitStatus: Bool
  /// Whether a replicator continues after this run.
  private let isWatching: Bool
  private let directions: ReplicationPlan.Directions
  private let store: EventStore
  private let devicesMax: Int
  private let dryRun: SyncDryRun?
  private let journal: Journal
  private let attachments: SyncAttachments
  let targets: [SyncTarget]

  init(
    _ arguments: Arguments, path: String, _ console: Console, isWatching: Bool = false
  ) throws {
    self.path = path
    self.console = console
    self.isWatching = isWatching
    isDryRun = arguments.has("plan")
    reportsByExitStatus = arguments.has("check")
    if reportsByExitStatus, !isDryRun {
      throw EventLogError.usage("--check needs --plan.", "sync")
    }
    switch (arguments.has("pull"), arguments.has("push")) {
    case (true, true): throw EventLogError.usage("--pull and --push cannot be combined.", "sync")
    case (true, false): directions = .pull
    case (false, true): directions = .push
    case (false, false): directions = .both
    }
    journal = Journal(path: path)
    targets = try SyncTarget.read(arguments.operands.dropFirst(), of: journal)
    if targets.isEmpty {
      throw EventLogError.usage(
        "\(Visible.text(path)) has no remembered remotes.", "sync",
        hint: "Specify one: eventlog sync \(ShellWord.path(path)) REMOTE")
    }
    attachments = try SyncAttachments(arguments, path, console)
    devicesMax = arguments.devicesMax
    var options = JournalOptions(user: arguments["user"], devicesMax: devicesMax)
    options.fileSystem = console.progress.fileSystem
    store = EventStore.unread(path: path, options: options, catalog: try arguments.catalog())
    dryRun = isDryRun ? store.syncDryRun() : nil
  }

  func perform() async throws -> Verb.ExitStatus {
    // Catch signals before any process is started: otherwise nothing would end it.
    Terminal.catchInterrupts()
    let isNew = Terminal.isMissing(path)
    if isNew, directions == .push {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(path))\" to push from.",
        hint: "Check the path.")
    }
    var outcomes: [SyncOutcome] = []
    for target in targets {
      outcomes.append(await sync(target))
      if outcomes.last?.error?.code == .canceled { break }
    }
    await syncAgain(&outcomes)
    var report = SyncOutcomeReport(
      path: path, outcomes: outcomes, isDryRun: isDryRun, directions: directions,
      isNew: isNew, console: console)
    // People see the events at once, and programs one object.
    if console.isJSON { report.attachments = try await syncAttachments(outcomes) }
    do {
      try report.print()
      await noteUnknown(outcomes)
      if !console.isJSON {
        try console.flush()
        report.attachments = try await syncAttachments(outcomes)
      }
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The sync is complete; only its report could not be written:"
          + " \(reason).", hint: "It is safe to run it again.")
    }
    try? await store.close()
    let status = try exitStatus(outcomes, isNew: isNew)
    return report.attachments.allSatisfy(\.isSuccess) ? status : .no
  }

  /// Syncs attachments with the remotes whose events were synced.
  private func syncAttachments(_ outcomes: [SyncOutcome]) async throws -> [AttachmentReport] {
    if isDryRun || Terminal.isMissing(path) { return [] }
    var remotes: [(remote: any Remote, name: String)] = []
    for (target, outcome) in zip(targets, outcomes) where outcome.error == nil {
      remotes.append((try Verb.remote(target.address), target.name))
    }
    let reports = try await attachments.sync(store, with: remotes, directions)
    for report in reports {
      let name = remotes.first { $0.remote.address == report.remote }?.name ?? report.remote
      try report.print(as: name, of: path, console)
    }
    return reports
  }

  /// Notes undeclared collections in pulled events, whose conflicts can't be shown.
  private func noteUnknown(_ outcomes: [SyncOutcome]) async {
    guard outcomes.contains(where: { !$0.report.pulled.isEmpty }) else { return }
    let names =
      if let dryRun { try? await dryRun.unknownNames() } else { try? await store.unknownNames() }
    console.note(undeclared: names ?? [], in: path)
  }

  private func exitStatus(_ outcomes: [SyncOutcome], isNew: Bool) throws -> Verb.ExitStatus {
    if let error = outcomes.lazy.compactMap(\.error).first {
      // The error describes one remote; as the result of the command, it must mention the others.
      let hasTransferred = outcomes.contains {
        !$0.report.pulled.isEmpty || !$0.report.pushed.isEmpty
      }
      throw hasTransferred && !isDryRun
        ? error.afterChanges("Events exchanged with other remotes are kept.") : error
    }
    if isNew, !isDryRun, Terminal.isMissing(path) {
      throw EventLogError(
        .noJournal, "No events were received, so \(Visible.text(path)) was not created.",
        hint: "Run it again when the listed events can be received.")
    }
    let isWhole = outcomes.allSatisfy { $0.report.refused.isEmpty }
    if reportsByExitStatus { return outcomes.allSatisfy(\.isEmpty) && isWhole ? .yes : .no }
    return isWhole ? .yes : .no
  }

  // MARK: - One remote

  /// - Parameter isAgain: Whether this run already synced the remote.
  private func sync(_ target: SyncTarget, isAgain: Bool = false) async -> SyncOutcome {
    var outcome = SyncOutcome(address: target.name)
    let mustExist = target.isRemembered && !isAgain
    do {
      // The delay that the remote requested isn't over yet.
      if isWatching, let wait = journal.wait(of: target.address.description) { throw wait }
      outcome.isRemoteNew = target.isMissing
      if case .folder(let folder) = target.address {
        outcome.isFolder = true
        // A remembered folder is known to be shared.
        if !target.isRemembered {
          outcome.unknownFiles = (try? await FolderRemote(path: folder).unknownFiles()) ?? []
        }
      }
      if outcome.isRemoteNew, mustExist { throw target.missingError("is not there", from: path) }
      if outcome.isRemoteNew, directions == .pull {
        throw EventLogError(
          .noJournal,
          "There is nothing at \"\(Visible.text(target.name))\" to pull from. Nothing was"
            + " changed.", hint: "Check the path.")
      }
      outcome.report = try await run(target, requiringEvents: mustExist)
      if outcome.isRemoteNew, outcome.report.pushed.isEmpty {
        throw EventLogError(
          .noJournal,
          "There is nothing at \"\(Visible.text(target.name))\", and there is nothing to"
            + " push. It was not created.", hint: "Check the path.")
      }
    } catch let error as EventLogError {
      let isEmpty = mustExist && error.code == .noJournal && !outcome.isRemoteNew
      outcome.error =
        isEmpty ? target.missingError("no longer contains any events", from: path) : error
    } catch {
      outcome.error = EventLogError(.inputOutput, "\(error)")
    }
    if let error = outcome.error, !isDryRun, error.code != .canceled {
      journal.note(error, of: target.address.description, isRetried: isWatching)
    }
    console.progress.end()
    return outcome
  }

  /// Syncs earlier remotes again if a later one has delivered events.
  private func syncAgain(_ outcomes: inout [SyncOutcome]) async {
    guard !outcomes.contains(where: { $0.error?.code == .canceled }),
      let last = outcomes.lastIndex(where: { !$0.report.pulled.isEmpty }), last > 0
    else { return }
    for index in 0..<last where outcomes[index].error == nil {
      let again = await sync(targets[index], isAgain: true)
      outcomes[index].error = again.error
      outcomes[index].report.formUnion(again.report)
    }
  }

  private func run(
    _ target: SyncTarget, requiringEvents requiresEvents: Bool
  ) async throws -> SyncReport {
    var options = JournalOptions(devicesMax: devicesMax)
    options.fileSystem = console.progress.fileSystem
    let remote = try Verb.remote(target.address, options: options)
    let replication =
      dryRun?.replication(with: remote, directions, requiringEvents: requiresEvents)
      ?? store.replication(with: remote, directions, requiringEvents: requiresEvents)
    var report = SyncReport()
    var transferred = TransferCounts()
    console.progress.begin("comparing with \(target.name)")
    // A signal cancels this task.
    let (steps, sink) = AsyncThrowingStream.makeStream(of: SyncProgress.self)
    let work = Task {
      do {
        for try await progress in replication { sink.yield(progress) }
        sink.finish()
      } catch { sink.finish(throwing: error) }
    }
    Terminal.onInterrupt { work.cancel() }
    do {
      for try await progress in steps {
        switch progress {
        case .planned(let plan):
          if !plan.pulls.isEmpty { remember(target) }
          transferred.pulled.total = plan.pulls.saturatingCount
          transferred.pushed.total = plan.pushes.saturatingCount
        case .pulled(let count, let total):
          remember(target)
          transferred.pulled = (count, total)
          console.progress.update("pulling from \(target.name)", events: count, of: total)
        case .pushed(let count, let total):
          remember(target)
          transferred.pushed = (count, total)
          console.progress.update("pushing to \(target.name)", events: count, of: total)
        case .finished(let done): report = done
        }
      }
    } catch let error as EventLogError where error.code == .canceled {
      let sentence =
        isDryRun ? "The sync was canceled. Nothing was changed." : transferred.interruption
      throw EventLogError(.canceled, sentence, hint: error.hint)
    }
    if report.otherHeldEvents || !report.pushed.isEmpty {
      remember(target)
      forgetOtherSpellings(of: target)
    }
    return report
  }

  /// Remembers a remote as soon as it's known to contain events, which later runs require.
  private func remember(_ target: SyncTarget) {
    guard !isDryRun, !target.isRemembered, !Terminal.isMissing(path) else { return }
    journal.remember(target.address.description)
  }

  /// Forgets other spellings of a remote, such as those of earlier versions.
  private func forgetOtherSpellings(of target: SyncTarget) {
    guard !isDryRun, case .service(let address) = target.address,
      let others = try? (journal.remotes + journal.recordedRemotes).filter(target.isSameRemote),
      !others.isEmpty
    else { return }
    journal.remember(address)
    for other in others { _ = try? journal.forget(other) }
  }
}
