/// The steps of one replication, in order.
///
/// Only the iterating task may use it.
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
  private var filter = ReceiveFilter()
  /// The statement of the other side.
  private var theirs = FrontierStatement()
  private var found = DivergenceSearch.Result()
  /// The events of this side, at the beginning of the run and now.
  private var before = Ledger()
  private var ours = Ledger()
  private var allowedDirections = ReplicationPlan.Directions.both
  /// The number of events transferred by the end of the last round.
  private var crossedCount: Int64 = 0
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
      if wasOpened, isNoted, error.code != .canceled, error.code != .journalReplaced {
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

  /// Whether the run has written events on either side.
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
        if takesMore(.theirs) {
          let rest = ours.rest(of: plan.pushes, after: pushed.ranges)
          stage = .pushing(try await local.read(rest))
        }
      case .finishing:
        try await finish()
        return .finished(report)
      case .done: return nil
      }
    }
  }

  // MARK: - Beginning

  private func begin() async throws(EventLogError) {
    try replication.permission()
    var request = try await local.request(
      replication.remote.address, dryRun: replication.isDryRun)
    if replication.readsAll { request.known = [] }
    wasOpened = true
    let remote = replication.remote
    request.prefix = try await local.prefix(with: remote)
    let (opened, connected) = await open(request)
    // Set even if this side can't be opened, so that the session is abandoned.
    session = try? connected.get()
    var state = try opened.get()
    let session = try connected.get()
    before = state.ledger
    report.damage = state.damage
    theirs = try await session.statement(to: state.statement, local)
    try checkIsThere()
    guard state.statement.user != nil || theirs.user != nil else {
      try await session.checkUserIsStated()
      throw EventLogError(
        .noJournal,
        "Neither side contains any events: \"\(replication.remote.address)\" has nothing to create"
          + " a journal from. Nothing was changed.", hint: "Check both paths.")
    }
    ours = state.ledger
    if let prelude = replication.prelude {
      let drafts = try prelude.drafts(for: state, theirs)
      // Check before anything is written.
      try checkDevices(atMost: state.devicesMax)
      // Set before the append, which may write events and then fail.
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
    found = try await DivergenceSearch(ours: ours, theirs: theirs, lookup: session).result()
    plan = ReplicationPlan(ours: ours, theirs: theirs, found, allowedDirections)
    filter = ReceiveFilter(requested: plan.pulls, missing: theirs.missing)
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
    _ request: SyncRequest
  ) async -> (Result<ReplicaState, EventLogError>, Result<any RemoteSession, EventLogError>) {
    let remote = replication.remote
    return await withTaskGroup(of: Result<any RemoteSession, EventLogError>.self) { group in
      group.addTask { await Self.connect(remote, request) }
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
    _ remote: any ReachableRemote, _ request: SyncRequest
  ) async -> Result<any RemoteSession, EventLogError> {
    do throws(EventLogError) { return .success(try await remote.connect(request)) } catch {
      return .failure(error)
    }
  }

  /// Checks that both sides belong to one user, or that one user has adopted the other.
  ///
  /// The journal of an adopted user only sends events. A shared remote that the adopted user has
  /// used also receives them.
  private func checkUsers(_ ours: FrontierStatement) throws(EventLogError) {
    allowedDirections = directions
    guard let here = ours.user, let there = theirs.user, !here.hasBytes(of: there) else {
      return
    }
    if ours.adoptedUsers.contains(where: { $0.hasBytes(of: there) }) {
      if !theirs.isShared {
        allowedDirections.formIntersection(.pull)
        report.oneWay = .init(direction: .pull, adopted: there)
      }
    } else if theirs.adoptedUsers.contains(where: { $0.hasBytes(of: here) }) {
      allowedDirections.formIntersection(.push)
      report.oneWay = .init(direction: .push, adopted: here)
    } else {
      throw EventLogError(
        .otherUser,
        "\"\(replication.remote.address)\" contains the events of another user. Nothing was"
          + " changed.",
        hint: "A journal contains one user's events: check the address.")
    }
  }

  /// Checks whether one side names events of the other side's own device that the other side lacks.
  private func noticeDuplicateWriters() async throws(EventLogError) {
    if let reason = try await local.notice(theirs.tips + theirs.advertised) {
      report.noteDuplicateWriter(reason)
    }
    report.otherHasDuplicateWriter = theirs.hasDuplicateWriter
    report.isDryRun = replication.isDryRun
  }

  // MARK: - Transfer

  private func pull(_ batch: LineBatch) async throws(EventLogError) {
    let result = try await local.receive(batch, from: theirs.user, on: filter)
    await session?.took(result)
    pulled.formUnion(result.received)
    if result.hasDuplicateWriter, !report.hasDuplicateWriter {
      let reason = DeviceDecision.Reason.duplicateWriter
      report.noteDuplicateWriter(replication.isDryRun ? reason.foretelling : reason.sentence)
    }
    for refusal in result.refused {
      // In a shared remote, the events that this one needs may be late.
      if theirs.isShared, refusal.code == .gap { continue }
      refuse(refusal, by: .ours)
    }
  }

  /// Returns whether another round helps, because a side refused events of users whose adoption was
  /// transferred after them.
  ///
  /// This happens if a journal lost lines and received them again after those events. Each adoption
  /// may need the events that the one before admits, so rounds end when one transfers nothing.
  private func takesMore(_ side: SyncReport.Side) -> Bool {
    let count = pulled.count + pushed.count
    defer { crossedCount = count }
    guard count > crossedCount, before.users.adoptedUsers != theirs.adoptedUsers,
      report.refused.contains(where: { $0.by == side && $0.code == .otherUser })
    else { return false }
    report.refused.removeAll { $0.by == side }
    refusedDevices[side] = nil
    return true
  }

  /// Switches from receiving to sending.
  private func turn() async throws(EventLogError) {
    stage = .finishing
    guard let session else { return }
    var statement = ours.statement
    if !plan.pulls.isEmpty || !plan.pushes.isEmpty {
      // Also send events received during this run: the planned events may depend on them.
      let state = try await local.open(dryRun: replication.isDryRun)
      ours = state.ledger
      statement = state.statement
      report.damage = state.damage
      // The rest of a batch may have arrived, whose first lines the other side is missing.
      let search = DivergenceSearch(ours: ours, theirs: theirs, lookup: session)
      if !plan.pulls.isEmpty { found.theirRefills = try await search.findTheirRefills() }
      plan.pushes = ReplicationPlan(ours: ours, theirs: theirs, found, allowedDirections).pushes
      if takesMore(.ours) {
        stage = .pulling(try await session.read(outstanding))
        return
      }
    }
    if replication.isDryRun || !allowedDirections.contains(.push) { return }
    // All events to send were appended before this check.
    try replication.permission()
    if plan.pushes.isEmpty { return try await session.restate(statement) }
    try await session.announce(statement)
    stage = .pushing(try await local.read(plan.pushes))
  }

  private var pushProgress: SyncProgress {
    .pushed(pushed.count, of: plannedCounts.pushes)
  }

  /// Performs a step that writes to the other side.
  ///
  /// - Returns: False if no work remained.
  @discardableResult
  private func push(
    _ step: (any RemoteSession) async throws(EventLogError) -> ReceiveResult?
  ) async throws(EventLogError) -> Bool {
    try replication.permission()
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

  // MARK: - End of a run

  /// Exchanges the schema files, so that tools can read both sides.
  private func exchangeSchemas() async throws(EventLogError) {
    guard let session, !replication.isDryRun else { return }
    var directions = allowedDirections
    if (try? replication.permission()) == nil { directions.remove(.push) }
    let own = try await local.schema()
    guard let other = try await session.exchange(own, directions) else { return }
    if directions.contains(.pull) { try await local.keep(other) }
    if let own, own.name.revision == other.name.revision, !own.declaresSame(as: other) {
      report.remarks.append(
        "\"\(replication.remote.address)\" has other declarations of revision"
          + " \(own.name.revision) than this journal. Each version of the app that changes a"
          + " declaration has to increase the revision.")
    }
  }

  private func finish() async throws(EventLogError) {
    try await exchangeSchemas()
    if !replication.isDryRun, allowedDirections.contains(.push),
      try await !local.withWriter({ (writer) throws(EventLogError) in writer.awaitsAgreement })
    {
      try await session?.erase(ours.erasures)
    }
    let known = try await session?.finish() ?? []
    if !replication.isDryRun {
      try await local.remember(known, of: replication.remote.address)
    }
    report.pulled = pulled.ranges
    report.pushed = replication.isDryRun ? plan.pushes : pushed.ranges
    if isNoted { await noteStatus() }
    report.clocks = SyncClocks(before: before, after: ours, theirs: theirs.tips)
    let knownForks = Set(before.forks.map(\.point))
    report.forks = ours.forks.filter { !knownForks.contains($0.point) }
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
  private func noteStatus() async {
    // Includes events received during this run, whatever its directions.
    let pushes = ReplicationPlan(ours: ours, theirs: theirs, found).pushes
    let success = RemoteRecord.Success(
      at: Timestamp(trusted: 0), ends: ours.runEnds.map(ours.fullID).sorted(),
      lacking: ours.rest(of: pushes, after: pushed.ranges), missing: ours.missingRanges,
      oneWay: report.oneWay
        ?? (report.notPulled.isEmpty ? nil : .init(direction: .push, adopted: nil)),
      holdsEvents: !theirs.isEmpty || !pushed.isEmpty)
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
    report.pending += outstanding.filter {
      !refusing.contains($0.device) && !pending.contains($0.end)
    }
    report.pending.sort()
  }

  /// The planned events that weren't received.
  private var outstanding: [EventRange] {
    let parts = Dictionary(grouping: pulled.ranges, by: \.device)
    return Dictionary(grouping: plan.pulls, by: \.device).flatMap { device, ranges in
      ranges.filter { !ours.holds($0.end) }.map { range in
        // For two histories of one device, a received range may belong to either.
        ranges.count == 1 ? remainder(of: range, after: parts[device] ?? []) : range
      }
    }.sorted()
  }

  /// The remainder of a planned range after its received parts, by sequence.
  private func remainder(of range: EventRange, after parts: [EventRange]) -> EventRange {
    var first = range.first
    for part in parts where part.first == first { first = part.last + 1 }
    return first <= range.last ? EventRange(from: first, to: range.end) : range
  }

  /// Reports the missing events that were restored on either side.
  private func noteHealing() {
    report.refilled = found.refills.filter {
      ours.holds($0.end) && ours.erasures.unnamed[$0.end] == nil
    }
    let healed = report.refilled.filter {
      allowedDirections.contains(.pull) && before.isMissing($0)
    }
    if !healed.isEmpty {
      report.healingNotices.append(
        "\(Self.events(healed)) that \(healed.saturatingCount == 1 ? "was" : "were") missing here"
          + " \(replication.isDryRun ? "would be" : healed.saturatingCount == 1 ? "was" : "were")"
          + " restored: \(list(healed)).")
    }
    let pushedEvents = ReceiveFilter(requested: report.pushed)
    let restored = theirs.missing.filter { !pushedEvents.isOtherThanStated($0.end) }
    if !restored.isEmpty {
      let verb = restored.saturatingCount == 1 ? "was" : "were"
      report.healingNotices.append(
        "\(Self.events(restored)) that \(verb) missing on the other side"
          + " \(replication.isDryRun ? "would be" : verb) restored there: \(list(restored)).")
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
  /// - Throws: `canceled` if the task is canceled.
  package static func checkCancellation() throws(EventLogError) {
    guard Task.isCancelled else { return }
    throw EventLogError(
      .canceled, "The sync was canceled. Events transferred so far are kept.",
      hint: "Run it again to continue.")
  }
}

extension Ledger {
  /// Whether a range ends with a missing event.
  fileprivate func isMissing(_ range: EventRange) -> Bool {
    locate(range.end).map { !isHeld($0) } ?? false
  }
}
