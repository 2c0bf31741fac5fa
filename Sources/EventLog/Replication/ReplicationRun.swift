/// The steps of one replication, one after the other.
///
/// It is used by one task at a time: whoever iterates.
final class ReplicationRun {
  private enum Stage {
    case beginning
    case pulling(any LineSource)
    case turning
    case pushing(any LineSource)
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
        return .pulled(pulled.count, of: plan.pulls.reduce(0) { $0 + $1.count })
      case .turning: try await turn()
      case .pushing(let source):
        guard let batch = try await source.next() else {
          stage = .finishing
          continue
        }
        try await push(batch)
        return .pushed(pushed.count, of: plan.pushes.reduce(0) { $0 + $1.count })
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
    try await noticeTwins()
    plan = newPlan(ours)
    report.forks = plan.forks
    report.ours = ours.statement.clock
    report.theirs = theirs.clock
    stranded = ours.statement.stranded
    noteStranded(theirs.stranded, there: ours.statement, unless: plan.pushes, by: .ours)
    stage = plan.pulls.isEmpty ? .turning : .pulling(try await session.read(plan.pulls))
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
  private func noticeTwins() async throws(EventLogError) {
    if let reason = try await local.notice([theirs.frontier] + theirs.claims + theirs.hearsay) {
      report.noteTwin(reason)
    }
    report.otherHasTwin = theirs.hasTwin
  }

  // MARK: - Crossing

  private func pull(_ batch: LineBatch) async throws(EventLogError) {
    let reception = try await local.receive(batch, from: theirs.user, disputed: disputes.first)
    pulled.formUnion(reception.received)
    if reception.hasTwin, !report.hasTwin {
      report.noteTwin(DeviceDecision.Reason.continuedElsewhere.sentence)
    }
    for refusal in reception.refused { refuse(refusal, by: .ours) }
  }

  /// From here on events go the other way.
  private func turn() async throws(EventLogError) {
    let hasFilledHoles = try await local.completeReception() != nil
    // Who wrote the other side of a fork is told of this one by what is said, if by nothing else.
    let mustTell = !disputes.forks.isEmpty && allowedDirections.contains(.push)
    guard let session, hasFilledHoles || mustTell || !plan.pushes.isEmpty else {
      stage = .finishing
      return
    }
    // What came meanwhile is said as well: the events that go may have seen it.
    let ours = try await local.open(rehearsing: replication.isRehearsal)
    stranded = ours.statement.stranded
    // What had waited for what was missing can go now.
    if hasFilledHoles { plan.pushes = newPlan(ours).pushes }
    guard mustTell || !plan.pushes.isEmpty else {
      stage = .finishing
      return
    }
    try await session.announce(try await announcement(ours))
    stage = .pushing(try await local.read(plan.pushes))
  }

  /// What this side says of itself before it gives anything: that it holds what it is going to
  /// give, and what it withholds. What it said to hold and never gave would be waited for in vain.
  private func announcement(_ ours: LocalState) async throws(EventLogError) -> FrontierStatement {
    let disputed = disputes.first
    if disputed.isEmpty { return ours.statement }
    var statement = ours.statement
    let firstSeeing = ours.ledger.firstSeeing(disputed)
    var withheld: [DeviceID: HistoryPoint] = [:]
    for (device, point) in statement.frontier {
      let first = min(disputed[device] ?? .max, firstSeeing[device] ?? .max)
      guard point.sequence >= first else { continue }
      if disputes.forks[device] != nil { withheld[device] = point }
      let last = EventID(device: device, sequence: first - 1)
      statement.frontier[device] = try await local.checksum(of: last).map {
        HistoryPoint(sequence: last.sequence, checksum: $0)
      }
    }
    statement.hearsay.append(withheld)
    return statement
  }

  private func push(_ batch: LineBatch) async throws(EventLogError) {
    guard let session else { return }
    let reception = try await session.write(batch)
    pushed.formUnion(reception.received)
    if reception.hasTwin { report.otherHasTwin = true }
    for refusal in reception.refused { refuse(refusal, by: .theirs) }
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
    report.newConflicts = try await local.finish()
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
