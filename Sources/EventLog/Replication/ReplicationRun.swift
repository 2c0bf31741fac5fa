/// The steps of one replication, one after the other.
///
/// It is used by one task at a time: whoever iterates.
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
  private var plan = ReplicationPlan()
  private var report = SyncReport()
  private var pulled = EventRanges()
  private var pushed = EventRanges()
  private var disputes = Disputes()
  /// What of the lines that come is taken.
  private var terms = ReceivingTerms()
  /// What this side holds behind a hole.
  private var stranded: [EventRange] = []
  /// What the other side has said it holds.
  private var theirs = FrontierStatement()
  /// The next step need not ask whether it is over.
  private var wasOpened = false

  init(_ replication: Replication) { self.replication = replication }

  deinit {
    if case .done = stage { return }
    if wasOpened { replication.local.abandon() }
  }

  private var local: any LocalReplica { replication.local }
  private var directions: ReplicationPlan.Directions { replication.directions }
  private var allowedDirections = ReplicationPlan.Directions.both

  func step() async throws(EventLogError) -> SyncProgress? {
    do throws(EventLogError) {
      if Task.isCancelled, !isDone { throw Self.cancelled }
      return try await proceed()
    } catch {
      if wasOpened { local.abandon() }
      stage = .done
      await session?.leave()
      session = nil
      throw error
    }
  }

  private var isDone: Bool {
    if case .done = stage { return true }
    return false
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
        return .pulled(pulled.count, of: plan.pulls.saturatingCount)
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
      replication.remote.address, rehearsing: replication.isRehearsal)
    wasOpened = true
    let remote = replication.remote
    if let journal = remote as? JournalRemote {
      visit.beginning = try await local.beginning(with: journal)
    }
    // Both sides read what they hold, which takes the longest of it all, at the same time.
    async let connection = Self.connect(remote, visit)
    let ours = try await local.open(rehearsing: replication.isRehearsal)
    let session = try await connection.get()
    self.session = session
    theirs = try await session.statement(
      to: LocalHistories(
        points: ours.statement.frontier, reissues: ours.statement.reissues, local: local))
    try checkIsThere()
    guard ours.statement.user != nil || theirs.user != nil else {
      throw EventLogError(
        .noJournal,
        "Neither side holds an event: \"\(replication.remote.address)\" has nothing to begin a"
          + " journal with. Nothing was changed.", hint: "Check both paths.")
    }
    try checkUsers(ours.statement)
    disputes = try await DisputeSearch(
      ours: ours.statement, theirs: theirs, local: local, session: session
    ).find()
    try await noticeTwins(theirs)
    plan = newPlan(ours)
    terms = ReceivingTerms(disputed: disputes.first, asked: plan.asked(of: theirs.frontier))
    report.notePlan(
      plan, announced: theirs.pending.filter { disputes.first[$0.device] == nil }, directions)
    report.forks = plan.forks
    report.ours = ours.statement.clock
    report.theirs = theirs.clock
    stranded = ours.statement.stranded
    noteStranded(theirs.stranded, there: ours.statement, unless: plan.pushes, by: .ours)
    stage = plan.pulls.isEmpty ? .turning : .pulling(try await session.read(plan.pulls))
  }

  private func checkIsThere() throws(EventLogError) {
    guard replication.requiresEvents, theirs.isEmpty else { return }
    throw EventLogError(
      .noJournal,
      "\"\(replication.remote.address)\" holds no event any more. Nothing was changed.",
      hint: "Check that it is the place that is meant, and within reach.")
  }

  private func newPlan(_ ours: LocalState) -> ReplicationPlan {
    ReplicationPlan(
      ours: ours.statement.frontier.mapValues(\.sequence),
      theirs: theirs.frontier.mapValues(\.sequence), forks: disputes.forks,
      barred: disputes.barred, firstSeeing: ours.ledger.firstSeeing(disputes.first),
      allowedDirections)
  }

  private static func connect(
    _ remote: any Remote, _ visit: RemoteVisit
  ) async -> Result<any RemoteSession, EventLogError> {
    do throws(EventLogError) { return .success(try await remote.connect(visit)) } catch {
      return .failure(error)
    }
  }

  /// A guest's journal is read by the one that took the guest over, and takes nothing from it.
  private func checkUsers(_ ours: FrontierStatement) throws(EventLogError) {
    allowedDirections = directions
    guard let here = ours.user, let there = theirs.user, !here.utf8.elementsEqual(there.utf8) else {
      return
    }
    if ours.adoptedUsers.contains(where: { $0.utf8.elementsEqual(there.utf8) }) {
      allowedDirections.formIntersection(.pull)
    } else if theirs.adoptedUsers.contains(where: { $0.utf8.elementsEqual(here.utf8) }) {
      allowedDirections.formIntersection(.push)
    } else {
      throw EventLogError(
        .otherUser,
        "\"\(replication.remote.address)\" holds the events of another user. Nothing was changed.",
        hint: "A journal keeps one user's events: check the address.")
    }
  }

  /// Looks whether the one side knows of events of the other side's own device that this does not
  /// hold.
  private func noticeTwins(_ theirs: FrontierStatement) async throws(EventLogError) {
    if let reason = try await local.notice(
      [theirs.frontier] + theirs.claims + theirs.withheld + theirs.hearsay)
    {
      report.noteTwin(reason)
    }
    report.otherHasTwin = theirs.hasTwin
    report.isRehearsal = replication.isRehearsal
  }

  // MARK: - Crossing

  private func pull(_ batch: LineBatch) async throws(EventLogError) {
    let reception = try await local.receive(batch, from: theirs.user, on: terms)
    pulled.formUnion(reception.received)
    if reception.hasTwin, !report.hasTwin {
      let reason = DeviceDecision.Reason.continuedElsewhere
      report.noteTwin(replication.isRehearsal ? reason.foretelling : reason.sentence)
    }
    for refusal in reception.refused { refuse(refusal, by: .ours) }
  }

  /// From here on events go the other way.
  private func turn() async throws(EventLogError) {
    let hasFilledHoles = try await local.completeReception() != nil
    // Who wrote the other side of a fork is told of this one by what is said, if by nothing else.
    let mustTell = !disputes.forks.isEmpty && directions.contains(.push)
    guard let session, hasFilledHoles || !plan.pushes.isEmpty || mustTell else {
      stage = .finishing
      return
    }
    // What came meanwhile is said as well: the events that go may have seen it.
    let ours = try await local.open(rehearsing: replication.isRehearsal)
    stranded = ours.statement.stranded
    // What had waited for what was missing can go now.
    if hasFilledHoles { plan.pushes = newPlan(ours).pushes }
    guard !plan.pushes.isEmpty || mustTell else {
      stage = .finishing
      return
    }
    try await session.announce(try await announcement(ours))
    stage = .pushing(try await local.read(plan.pushes))
  }

  /// What this side says of itself before it gives anything: that it holds what the other side will
  /// hold then, and what it withholds. What it said to hold and never gave would be waited for in
  /// vain.
  private func announcement(_ ours: LocalState) async throws(EventLogError) -> FrontierStatement {
    var statement = ours.statement
    let ends = plan.ends(
      ours: ours.statement.frontier.mapValues(\.sequence),
      theirs: theirs.frontier.mapValues(\.sequence), disputed: disputes.first,
      firstSeeing: ours.ledger.firstSeeing(disputes.first))
    var withheld: [DeviceID: HistoryPoint] = [:]
    for (device, point) in ours.statement.frontier {
      let end = EventID(device: device, sequence: ends[device] ?? 0)
      if end.sequence != point.sequence {
        statement.frontier[device] = try await self.point(end)
      }
      // What tells this branch from the other one, so that either can be given up.
      if let fork = disputes.forks[device], fork <= point.sequence {
        withheld[device] = try await self.point(EventID(device: device, sequence: fork))
      }
    }
    if !withheld.isEmpty { statement.withheld.append(withheld) }
    statement.reissues.removeAll { statement.frontier[$0.device] == nil }
    return statement
  }

  private func point(_ event: EventID) async throws(EventLogError) -> HistoryPoint? {
    if event.sequence == 0 { return nil }
    return try await local.checksum(of: event).map {
      HistoryPoint(sequence: event.sequence, checksum: $0)
    }
  }

  private var pushProgress: SyncProgress {
    .pushed(pushed.count, of: plan.pushes.saturatingCount)
  }

  /// - Returns: whether there was something to do.
  @discardableResult
  private func push(
    _ step: (any RemoteSession) async throws(EventLogError) -> Reception?
  ) async throws(EventLogError) -> Bool {
    guard let session, let reception = try await step(session) else { return false }
    pushed.formUnion(reception.received)
    if reception.hasTwin { report.otherHasTwin = true }
    for refusal in reception.refused { refuse(refusal, by: .theirs) }
    return true
  }

  private func refuse(_ refusal: Reception.Refusal, by side: SyncReport.Side) {
    guard !report.refused.contains(where: { $0.device == refusal.device && $0.by == side }) else {
      return
    }
    report.refused.append(
      .init(device: refusal.device, sequence: refusal.sequence, code: refusal.code, by: side))
  }

  /// Says what cannot cross because it stands behind a hole, and the other side lacks it.
  ///
  /// - Parameter refills: what comes to where the hole is.
  private func noteStranded(
    _ ranges: [EventRange], there: FrontierStatement, unless refills: [EventRange],
    by side: SyncReport.Side
  ) {
    if !allowedDirections.contains(side == .ours ? .pull : .push) { return }
    for range in ranges where there.frontier[range.device]?.sequence ?? 0 < range.last {
      let first = EventID(device: range.device, sequence: range.first)
      if refills.contains(where: { $0.contains(first) }) { continue }
      refuse(.init(device: range.device, sequence: range.first, code: .gap), by: side)
    }
  }

  private func finish() async throws(EventLogError) {
    noteStranded(stranded, there: theirs, unless: plan.pulls, by: .theirs)
    let known = try await session?.finish() ?? []
    if !replication.isRehearsal {
      try await local.remember(known, of: replication.remote.address)
    }
    report.pulled = pulled.ranges
    report.pushed = pushed.ranges
    report.noteWhatDidNotCome(of: plan)
    report.newConflicts = try await local.finish()
    report.remarks += try await local.takeNotices()
    report.remarks += await session?.notices ?? []
    session = nil
    stage = .done
  }

  private static let cancelled = EventLogError(
    .cancelled, "The synchronization was cancelled. What had crossed until then stays.",
    hint: "Run it again: it goes on from there.")
}

/// What the side holds that the run was started on.
struct LocalHistories: DeviceHistories {
  let points: [DeviceID: HistoryPoint]
  let reissues: [Reissue]
  let local: any LocalReplica

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    try await local.checksum(of: event)
  }
}
