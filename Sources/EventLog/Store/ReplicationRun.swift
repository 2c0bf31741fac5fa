/// The steps of one replication, one after the other.
///
/// It is used by one task at a time, the one that iterates.
final class ReplicationRun {
  private enum Stage {
    case beginning
    case pulling(any LineSource)
    case turning
    case pushing(any LineSource)
    case completing
    case finishing
    case done
  }

  private let replication: Replication
  private var stage = Stage.beginning
  private var session: (any RemoteSession)?
  private var plan = ReplicationPlan() {
    didSet { plannedCounts = (plan.pulls.saturatingCount, plan.pushes.saturatingCount) }
  }
  /// The planned numbers of events.
  private var plannedCounts: (pulls: Int64, pushes: Int64) = (0, 0)
  private var report = SyncReport()
  private var pulled = EventRanges()
  private var pushed = EventRanges()
  /// Which received lines to accept.
  private var terms = ReceivingTerms()
  /// The statement of the other side.
  private var theirs = FrontierStatement()
  private var found = PartingSearch.Result()
  /// The events of this side, at the beginning of the run and now.
  private var before = Ledger()
  private var ours = Ledger()
  private var allowedDirections = ReplicationPlan.Directions.both
  /// The devices whose events each side has refused.
  private var refusedDevices: [SyncReport.Side: Set<DeviceID?>] = [:]
  /// Whether the local side has begun.
  private var wasOpened = false
  /// Whether this side has begun to write a prelude.
  private var hasBegunPrelude = false

  init(_ replication: Replication) { self.replication = replication }

  deinit {
    if case .done = stage { return }
    if wasOpened { replication.local.abandon() }
  }

  private var local: Replica { replication.local }
  private var directions: ReplicationPlan.Directions { replication.directions }

  func step() async throws(EventLogError) -> SyncProgress? {
    do throws(EventLogError) {
      if !isDone { try EventLogError.checkCancellation() }
      return try await proceed()
    } catch {
      if wasOpened { local.abandon() }
      stage = .done
      await session?.leave()
      session = nil
      let told = afterChanges(error)
      if wasOpened, isNoted, error.code != .cancelled, error.code != .journalReplaced {
        await local.note(told, of: replication.remote.address)
      }
      throw told
    }
  }

  private var isDone: Bool {
    if case .done = stage { return true }
    return false
  }

  /// Corrects an error that claims that nothing was changed, if something was.
  private func afterChanges(_ error: EventLogError) -> EventLogError {
    if hasCrossed { return error.afterChanges("Events transferred so far are kept.") }
    return hasBegunPrelude
      ? error.afterChanges("Nothing is lost, and running it again finishes it.") : error
  }

  /// Whether events are written on either side that were not there before.
  private var hasCrossed: Bool {
    !replication.isDryRun && !(pulled.isEmpty && pushed.isEmpty)
  }

  private func proceed() async throws(EventLogError) -> SyncProgress? {
    while true {
      switch stage {
      case .beginning:
        try await begin()
        return .planned(plan)
      case .pulling(let source):
        guard let batch = try await source.next() else {
          stage = .turning
          continue
        }
        try await pull(batch)
        return .pulled(pulled.count, of: plannedCounts.pulls)
      case .turning: try await turn()
      case .pushing(let source):
        guard let batch = try await source.next() else {
          stage = .completing
          continue
        }
        try await push { (session) throws(EventLogError) in try await session.write(batch) }
        return pushProgress
      case .completing:
        let isMore = try await push { (session) throws(EventLogError) in
          try await session.proceed()
        }
        if isMore { return pushProgress }
        stage = .finishing
      case .finishing:
        try await finish()
        return .finished(report)
      case .done: return nil
      }
    }
  }

  // MARK: - Beginning

  private func begin() async throws(EventLogError) {
    var visit = try await local.visit(
      replication.remote.address, dryRun: replication.isDryRun)
    if replication.readsAll { visit.known = [] }
    wasOpened = true
    let remote = replication.remote
    visit.prefix = try await local.prefix(with: remote)
    let (opened, connected) = await open(visit)
    // Set even if this side can't be opened, so that the session is left properly.
    session = try? connected.get()
    var state = try opened.get()
    let session = try connected.get()
    before = state.ledger
    report.damage = state.damage
    theirs = try await session.statement(to: state.statement, local)
    try checkIsThere()
    guard state.statement.user != nil || theirs.user != nil else {
      try await session.checkTellsUser()
      throw EventLogError(
        .noJournal,
        "Neither side contains any events: \"\(replication.remote.address)\" has nothing to create"
          + " a journal from. Nothing was changed.", hint: "Check both paths.")
    }
    ours = state.ledger
    if let prelude = replication.prelude {
      let drafts = try prelude.drafts(for: state, theirs)
      // Before anything is written.
      try checkDevices(atMost: state.devicesMax)
      // Even if the append fails: it may have written events before.
      hasBegunPrelude = !drafts.isEmpty && !replication.isDryRun
      state = try await local.append(drafts, of: prelude)
      ours = state.ledger
    }
    try checkUsers(state.statement)
    try checkDevices(atMost: state.devicesMax)
    try await makePlan(session)
    try await noticeDuplicateWriters()
    stage = plan.pulls.isEmpty ? .turning : .pulling(try await session.read(plan.pulls))
  }

  private func makePlan(_ session: any RemoteSession) async throws(EventLogError) {
    found = try await PartingSearch(ours: ours, theirs: theirs, lookup: session).result()
    plan = ReplicationPlan(ours: ours, theirs: theirs, found, allowedDirections)
    terms = ReceivingTerms(asked: plan.pulls, missing: theirs.missing)
    report.notPulled = directions.contains(.pull) ? [] : plan.notPulled
    report.notPushed = directions.contains(.push) ? [] : plan.notPushed
    report.pending = theirs.pending
  }

  /// Checks that the other side doesn't have more new histories than this side may take.
  ///
  /// - Complexity: O(size of both statements).
  private func checkDevices(atMost max: Int) throws(EventLogError) {
    guard allowedDirections.contains(.pull) else { return }
    let unknown = theirs.tips.filter { !ours.holds($0) }
    if ours.branches.count + unknown.count <= max { return }
    // The other side may have continued histories that end on this side.
    let stated = Set(theirs.tips)
    let ends = Dictionary(
      grouping: ours.runEnds.map(ours.fullID).filter { !stated.contains($0) }, by: \.device)
    let count = Dictionary(grouping: unknown, by: \.device)
      .reduce(0) { $0 + Swift.max(0, $1.value.count - (ends[$1.key]?.count ?? 0)) }
    guard count > 0, ours.branches.count + count > max else { return }
    throw .tooManyDevices(
      count, beside: ours.branches.count, max: max,
      from: "\"\(replication.remote.address)\"")
  }

  private func checkIsThere() throws(EventLogError) {
    guard replication.requiresEvents, theirs.isEmpty else { return }
    throw EventLogError(
      .noJournal,
      "\"\(replication.remote.address)\" contains no events. Nothing was changed.",
      hint: "Check that it is the right place, and can be reached.")
  }

  /// Opens both sides concurrently, because reading the journals takes the most time.
  private func open(
    _ visit: RemoteVisit
  ) async -> (Result<ReplicaState, EventLogError>, Result<any RemoteSession, EventLogError>) {
    let remote = replication.remote
    return await withTaskGroup(of: Result<any RemoteSession, EventLogError>.self) { group in
      group.addTask { await Self.connect(remote, visit) }
      let state = await openLocal()
      if case .failure = state { group.cancelAll() }
      guard let connection = await group.next() else { preconditionFailure("One task was added.") }
      return (state, connection)
    }
  }

  private func openLocal() async -> Result<ReplicaState, EventLogError> {
    do throws(EventLogError) {
      return .success(try await local.open(dryRun: replication.isDryRun))
    } catch { return .failure(error) }
  }

  private static func connect(
    _ remote: any ReachableRemote, _ visit: RemoteVisit
  ) async -> Result<any RemoteSession, EventLogError> {
    do throws(EventLogError) { return .success(try await remote.connect(visit)) } catch {
      return .failure(error)
    }
  }

  /// Checks that both sides belong to one user, or that one user has adopted the other.
  ///
  /// The journal of an adopted user only sends events. A shared place that the adopted user has
  /// used also receives them.
  private func checkUsers(_ ours: FrontierStatement) throws(EventLogError) {
    allowedDirections = directions
    guard let here = ours.user, let there = theirs.user, !here.hasBytes(of: there) else {
      return
    }
    if ours.adoptedUsers.contains(where: { $0.hasBytes(of: there) }) {
      if !theirs.isShared {
        allowedDirections.formIntersection(.pull)
        report.oneWay = (there, true)
      }
    } else if theirs.adoptedUsers.contains(where: { $0.hasBytes(of: here) }) {
      allowedDirections.formIntersection(.push)
      report.oneWay = (here, false)
    } else {
      throw EventLogError(
        .otherUser,
        "\"\(replication.remote.address)\" contains the events of another user. Nothing was"
          + " changed.",
        hint: "A journal contains one user's events: check the address.")
    }
  }

  /// Checks whether one side knows of events of the other side's own device that the other side is
  /// missing.
  private func noticeDuplicateWriters() async throws(EventLogError) {
    if let reason = try await local.notice(theirs.tips + theirs.hearsay) {
      report.noteDuplicateWriter(reason)
    }
    report.otherHasDuplicateWriter = theirs.hasDuplicateWriter
    report.isDryRun = replication.isDryRun
  }

  // MARK: - Crossing

  private func pull(_ batch: LineBatch) async throws(EventLogError) {
    let result = try await local.receive(batch, from: theirs.user, on: terms)
    await session?.took(result)
    pulled.formUnion(result.received)
    if result.hasDuplicateWriter, !report.hasDuplicateWriter {
      let reason = DeviceDecision.Reason.duplicateWriter
      report.noteDuplicateWriter(replication.isDryRun ? reason.foretelling : reason.sentence)
    }
    for refusal in result.refused { refuse(refusal, by: .ours) }
  }

  /// Turns from receiving to sending.
  private func turn() async throws(EventLogError) {
    stage = .finishing
    guard let session else { return }
    var statement = ours.statement
    if !plan.pulls.isEmpty || !plan.pushes.isEmpty {
      // Also sends events received meanwhile: the planned events may depend on them.
      let state = try await local.open(dryRun: replication.isDryRun)
      ours = state.ledger
      statement = state.statement
      report.damage = state.damage
      plan.pushes = ReplicationPlan(ours: ours, theirs: theirs, found, allowedDirections).pushes
    }
    if replication.isDryRun || !allowedDirections.contains(.push) { return }
    if plan.pushes.isEmpty { return try await session.restate(statement) }
    try await session.announce(statement)
    stage = .pushing(try await local.read(plan.pushes))
  }

  private var pushProgress: SyncProgress {
    .pushed(pushed.count, of: plannedCounts.pushes)
  }

  /// - Returns: Whether there was anything to do.
  @discardableResult
  private func push(
    _ step: (any RemoteSession) async throws(EventLogError) -> ReceiveResult?
  ) async throws(EventLogError) -> Bool {
    guard let session, let result = try await step(session) else { return false }
    pushed.formUnion(result.received)
    if result.hasDuplicateWriter { report.otherHasDuplicateWriter = true }
    for refusal in result.refused { refuse(refusal, by: .theirs) }
    return true
  }

  private func refuse(_ refusal: ReceiveResult.Refusal, by side: SyncReport.Side) {
    guard refusedDevices[side, default: []].insert(refusal.device).inserted else { return }
    report.refused.append(
      .init(device: refusal.device, sequence: refusal.sequence, code: refusal.code, by: side))
  }

  // MARK: - The end

  private func finish() async throws(EventLogError) {
    let known = try await session?.finish() ?? []
    if !replication.isDryRun {
      try await local.remember(known, of: replication.remote.address)
    }
    report.pulled = pulled.ranges
    report.pushed = replication.isDryRun ? plan.pushes : pushed.ranges
    if isNoted { await notePlace() }
    report.clocks = SyncClocks(before: before, after: ours, theirs: theirs.tips)
    let knownForks = Set(before.forks.map(\.place))
    report.forks = ours.forks.filter { !knownForks.contains($0.place) }
    report.missing = ours.unacknowledgedRanges
    noteWhatDidNotCome()
    noteHealing()
    if let prelude = replication.prelude { try await local.finish(prelude) }
    report.newConflicts = try await local.finish()
    report.remarks += try await local.takeNotices()
    report.remarks += await session?.notices ?? []
    session = nil
    stage = .done
  }

  /// Whether to record the status of the remote. A run with a prelude is not repeated.
  private var isNoted: Bool { !replication.isDryRun && replication.prelude == nil }

  /// Records which events the other side has now, for a status without contacting it.
  private func notePlace() async {
    // Includes events received meanwhile, whatever the directions of this run.
    let given = ReplicationPlan(ours: ours, theirs: theirs, found).pushes
    let success = PlaceRecord.Success(
      at: Timestamp(trusted: 0), ends: ours.runEnds.map(ours.fullID).sorted(),
      lacking: ours.rest(of: given, behind: pushed.ranges), missing: ours.missingRanges,
      takesNothing: directions.contains(.push) && !allowedDirections.contains(.push))
    await local.note(
      success, of: replication.remote.address, evenIfNew: directions.contains(.push))
  }

  /// Reports planned events that were neither received nor refused: the other side didn't have
  /// them, or is missing an event that they depend on.
  private func noteWhatDidNotCome() {
    let refusing = refusedDevices[.ours] ?? []
    // An invalid line may have been any of them.
    if refusing.contains(nil) { return }
    report.pending = report.pending.filter { !ours.holds($0.end) }
    let pending = Set(report.pending.map(\.end))
    let parts = Dictionary(grouping: pulled.ranges, by: \.device)
    for (device, ranges) in Dictionary(grouping: plan.pulls, by: \.device)
    where !refusing.contains(device) {
      for range in ranges where !ours.holds(range.end) && !pending.contains(range.end) {
        // For two histories of one device, a received range may belong to either.
        report.pending.append(
          ranges.count == 1 ? rest(of: range, behind: parts[device] ?? []) : range)
      }
    }
    report.pending.sort()
  }

  /// The rest of a planned range after its received parts, by sequence.
  private func rest(of range: EventRange, behind parts: [EventRange]) -> EventRange {
    var first = range.first
    for part in parts where part.first == first { first = part.last + 1 }
    return first <= range.last ? EventRange(from: first, to: range.end) : range
  }

  /// Reports once that missing events were restored.
  private func noteHealing() {
    report.refilled = found.refills.filter { ours.holds($0.end) }
    let healed = report.refilled.filter {
      allowedDirections.contains(.pull) && before.isMissing($0)
    }
    if !healed.isEmpty {
      report.healingNotices.append(
        "\(Self.events(healed)) that \(healed.saturatingCount == 1 ? "was" : "were") missing here"
          + " \(replication.isDryRun ? "would be" : healed.saturatingCount == 1 ? "was" : "were")"
          + " restored: \(list(healed)).")
    }
    let went = ReceivingTerms(asked: report.pushed)
    let given = theirs.missing.filter { !went.isOtherThanStated($0.end) }
    if !given.isEmpty {
      report.healingNotices.append(
        "\(Self.events(given)) that \(given.saturatingCount == 1 ? "was" : "were") missing on the"
          + " other side"
          + " \(replication.isDryRun ? "would be" : given.saturatingCount == 1 ? "was" : "were")"
          + " restored there: \(list(given)).")
    }
  }

  private static func events(_ ranges: [EventRange]) -> String {
    let count = ranges.saturatingCount
    return count == 1 ? "1 event" : "\(count) events"
  }

  private func list(_ ranges: [EventRange]) -> String {
    let few = ranges.prefix(3).map { $0.text(ours.shownID) }.joined(separator: ", ")
    return ranges.count > 3 ? few + ", …" : few
  }

}

extension EventLogError {
  /// Checks whether the task is canceled. Long work of a sync calls this regularly.
  ///
  /// - Throws: `cancelled` if the task is canceled.
  package static func checkCancellation() throws(EventLogError) {
    guard Task.isCancelled else { return }
    throw EventLogError(
      .cancelled, "The sync was cancelled. Events transferred so far are kept.",
      hint: "Run it again to continue.")
  }
}

extension Ledger {
  /// Whether a range ends with a missing event.
  fileprivate func isMissing(_ range: EventRange) -> Bool {
    locate(range.end).map { !isHeld($0) } ?? false
  }
}
