import EventLog
import EventLogInspection
import Synchronization

/// One call of `eventlog repair`.
struct RepairRun {
  private let arguments: Arguments
  private let path: String
  private let console: Console
  private let journal: Journal
  private let options: JournalOptions
  private let acceptsLoss: Bool
  private let targets: [SyncTarget]

  init(_ arguments: Arguments, _ console: Console) throws {
    self.arguments = arguments
    path = try Verb.journal(arguments, "repair")
    self.console = console
    journal = console.journals([path], user: arguments["user"])[0]
    options = JournalOptions(
      user: arguments["user"],
      devicesMax: arguments.devicesMax)
    acceptsLoss = arguments.has("accept-loss")
    let other = arguments["from"]
    if other == nil, try acceptsLoss || journal.remotes.isEmpty {
      // Without a remote, a missing journal is an error.
      if Terminal.isMissing(path) { _ = try journal.status() }
      targets = []
    } else {
      targets = try SyncTarget.read((other.map { [$0] } ?? [])[...], of: journal, "repair")
    }
  }

  func perform() async throws -> Verb.ExitStatus {
    let before = try? journal.status()
    var outcomes: [RepairOutcome] = []
    for target in targets {
      outcomes.append(await repair(target))
      if outcomes.last?.error?.code == .canceled { break }
    }
    await repairAgain(&outcomes)
    let failure = outcomes.lazy.compactMap(\.error).first
    var accepted: RepairReport?
    // An unreachable remote may have the events, so accept no loss.
    if acceptsLoss, failure == nil {
      console.onInterrupt(reporting: "What was accepted so far is kept.")
      accepted = try await journal.acceptLoss(options: options)
    }
    let isChanged = accepted?.isEmpty == false || outcomes.contains { !$0.report.isEmpty }
    do {
      let attachments = try await attachments(outcomes)
      let output = RepairOutput(
        path: path, outcomes: outcomes, accepted: accepted, attachments: attachments,
        status: try journal.status(),
        wasSound: before.map { $0.firstDamage == nil && $0.warnings.isEmpty } ?? false,
        console: console)
      try output.print()
      try console.flush()
      if let failure { throw failure }
      return output.isWhole && attachments?.isWhole != false ? .yes : .no
    } catch let error as EventLogError where isChanged {
      throw error.afterChanges("Repairs made so far are kept.")
    }
  }

  /// Fetches missing and damaged attachments from the remotes that were reached.
  private func attachments(_ outcomes: [RepairOutcome]) async throws -> RepairAttachments? {
    if outcomes.contains(where: { $0.error?.code == .canceled }) { return nil }
    var remotes: [any Remote] = []
    for (target, outcome) in zip(targets, outcomes) where outcome.error == nil {
      remotes.append(try Verb.remote(target.address))
    }
    return try await RepairAttachments(of: path, from: remotes, arguments, console)
  }

  private func repair(_ target: SyncTarget) async -> RepairOutcome {
    var outcome = RepairOutcome(remote: target.name)
    // A repair may take several runs, each of which counts from 0.
    let received = Mutex((earlier: Int64(0), now: Int64(0)))
    do {
      if target.isMissing {
        if target.isRemembered { throw target.missingError("is not there", from: path) }
        throw EventLogError(
          .noJournal,
          "There is nothing at \"\(Visible.text(target.name))\" to repair from. Nothing was"
            + " changed.",
          hint: "Check the path.")
      }
      var remoteOptions = JournalOptions()
      remoteOptions.fileSystem = console.progress.fileSystem
      let remote = try Verb.remote(target.address, options: remoteOptions)
      let (progress, work) = (console.progress, "repairing from \(target.name)")
      progress.begin(work)
      outcome.report = try await Terminal.interruptible { [journal, options] in
        try await journal.repair(from: remote, options: options) { step in
          guard case .pulled(let count, let total) = step else { return }
          received.withLock { received in
            if count < received.now { received.earlier += received.now }
            received.now = count
          }
          progress.update(work, events: count, of: total)
        }
      }
    } catch let error as EventLogError {
      let count = received.withLock { Int(clamping: $0.earlier + $0.now) }
      let error = error.interrupting(
        "repair",
        keeping: count == 0
          ? "No events were received."
          : "\(plural(count, "event")) \(count == 1 ? "was" : "were") received so far, and"
            + " \(count == 1 ? "is" : "are") kept; the next repair continues.")
      outcome.error =
        target.isRemembered && error.code == .noJournal && !target.isMissing
        ? target.missingError("no longer contains any events", from: path) : error
    } catch {
      outcome.error = EventLogError(.inputOutput, "\(error)")
    }
    return outcome
  }

  /// Repeats earlier repairs, because events from a later remote may refer to events that an
  /// earlier one has.
  private func repairAgain(_ outcomes: inout [RepairOutcome]) async {
    guard !outcomes.contains(where: { $0.error?.code == .canceled }),
      let last = outcomes.lastIndex(where: { !$0.report.isEmpty }), last > 0,
      outcomes[last].report.missing.isEmpty == false
    else { return }
    for index in 0..<last where outcomes[index].error == nil {
      let again = await repair(targets[index])
      outcomes[index].error = again.error
      outcomes[index].report.formUnion(again.report)
    }
  }
}
