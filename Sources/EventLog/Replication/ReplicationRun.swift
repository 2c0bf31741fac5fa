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
  /// Per device with a fork the first event about which the sides differ.
  private var disputed: [DeviceID: Int64] = [:]
  /// Whose events the other side has.
  private var theirUser: String?
  /// The next step need not ask whether it is over.
  private var wasOpened = false

  init(_ replication: Replication) { self.replication = replication }

  deinit {
    if case .done = stage { return }
    if wasOpened { replication.local.abandon() }
  }

  private var local: any LocalReplica { replication.local }
  private var directions: ReplicationPlan.Directions { replication.directions }

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
    let theirs = try await session.statement(
      to: LocalHistories(points: ours.statement.frontier, local: local))
    theirUser = theirs.user
    guard ours.statement.user != nil || theirs.user != nil else {
      throw EventLogError(
        .noJournal,
        "Neither side holds an event: \"\(replication.remote.address)\" has nothing to begin a"
          + " journal with. Nothing was changed.", hint: "Check both paths.")
    }
    var directions = directions
    directions.formIntersection(try allowedDirections(ours.statement, theirs))
    disputed = try await findForks(ours.statement, theirs, session)
    report.hasTwin = try await local.notice(theirs.frontier, disputed: disputed)
    plan = ReplicationPlan(
      ours: ours.statement.frontier.mapValues(\.sequence),
      theirs: theirs.frontier.mapValues(\.sequence), forks: disputed,
      firstSeeing: ours.ledger.firstSeeing(disputed), damaged: Set(ours.damaged.keys), directions)
    report.notePlan(plan, announced: theirs.pending, self.directions)
    report.forks = plan.forks
    report.ours = ours.statement.clock
    report.theirs = theirs.clock
    for (device, first) in ours.damaged.sorted(by: { $0.key < $1.key })
    where (theirs.frontier[device]?.sequence ?? 0) >= first && disputed[device] == nil {
      refuse(.init(device: device, sequence: first, code: .gap), by: .ours)
    }
    stage = plan.pulls.isEmpty ? .turning : .pulling(try await session.read(plan.pulls))
  }

  private static func connect(
    _ remote: any Remote, _ visit: RemoteVisit
  ) async -> Result<any RemoteSession, EventLogError> {
    do throws(EventLogError) { return .success(try await remote.connect(visit)) } catch {
      return .failure(error)
    }
  }

  /// A guest's journal is read by the one that took the guest over, and takes nothing from it.
  private func allowedDirections(
    _ ours: FrontierStatement, _ theirs: FrontierStatement
  ) throws(EventLogError) -> ReplicationPlan.Directions {
    guard let here = ours.user, let there = theirs.user, !here.utf8.elementsEqual(there.utf8) else {
      return .both
    }
    if ours.adoptedUsers.contains(where: { $0.utf8.elementsEqual(there.utf8) }) { return .pull }
    if theirs.adoptedUsers.contains(where: { $0.utf8.elementsEqual(here.utf8) }) { return .push }
    throw EventLogError(
      .otherUser,
      "\"\(replication.remote.address)\" holds the events of another user. Nothing was changed.",
      hint: "A journal keeps one user's events: check the address.")
  }

  /// Per device the first event about which the sides differ, or those who speak for the other one
  /// among themselves.
  private func findForks(
    _ ours: FrontierStatement, _ theirs: FrontierStatement, _ session: any RemoteSession
  ) async throws(EventLogError) -> [DeviceID: Int64] {
    let claims = theirs.claims.isEmpty ? [theirs.frontier] : theirs.claims
    var forks: [DeviceID: Int64] = [:]
    for device in Set(claims.flatMap(\.keys)).sorted() {
      let points = Set(claims.compactMap { $0[device] })
      let own = ours.frontier[device]
      guard let reference = own ?? points.max(by: { $0.sequence < $1.sequence }) else { continue }
      for point in points where point != reference {
        let first = try await ForkSearch.firstDifference(
          of: device, reference, point,
          ourLookup: { [local] (event) throws(EventLogError) in
            own != nil
              ? try await local.checksum(of: event)
              : try await session.checksum(of: event, inHistoryTo: reference)
          },
          theirLookup: { (event) throws(EventLogError) in
            try await session.checksum(of: event, inHistoryTo: point)
          })
        if let first { forks[device] = min(first, forks[device] ?? .max) }
      }
    }
    return forks
  }

  // MARK: - Crossing

  private func pull(_ batch: LineBatch) async throws(EventLogError) {
    let reception = try await local.receive(batch, from: theirUser, disputed: disputed)
    pulled.formUnion(reception.received)
    for refusal in reception.refused { refuse(refusal, by: .ours) }
  }

  /// From here on events go the other way.
  private func turn() async throws(EventLogError) {
    guard let session, !plan.pushes.isEmpty else {
      stage = .finishing
      return
    }
    // What came meanwhile is said as well: the events that go may have seen it.
    let ours = try await local.open(rehearsing: replication.isRehearsal)
    try await session.announce(ours.statement)
    stage = .pushing(try await local.read(plan.pushes))
  }

  private func push(_ batch: LineBatch) async throws(EventLogError) {
    guard let session else { return }
    let reception = try await session.write(batch)
    pushed.formUnion(reception.received)
    for refusal in reception.refused { refuse(refusal, by: .theirs) }
  }

  private func refuse(_ refusal: Reception.Refusal, by side: SyncReport.Side) {
    guard !report.refused.contains(where: { $0.device == refusal.device && $0.by == side }) else {
      return
    }
    report.refused.append(
      .init(device: refusal.device, sequence: refusal.sequence, code: refusal.code, by: side))
  }

  private func finish() async throws(EventLogError) {
    let known = try await session?.finish() ?? []
    if !replication.isRehearsal {
      try await local.remember(known, of: replication.remote.address)
    }
    report.pulled = pulled.ranges
    report.pushed = pushed.ranges
    report.noteWhatDidNotCome(of: plan)
    report.newConflicts = try await local.finish()
    session = nil
    stage = .done
  }

  private static let cancelled = EventLogError(
    .cancelled, "The synchronization was cancelled. What had crossed until then stays.",
    hint: "Run it again: it goes on from there.")
}

extension Ledger {
  /// Per device its first event that has seen one of the given events or a later one of its device.
  func firstSeeing(_ events: [DeviceID: Int64]) -> [DeviceID: Int64] {
    var first: [DeviceID: Int64] = [:]
    for (other, sequence) in events {
      guard let other = find(other) else { continue }
      for device in devices.indices where device != other {
        guard let seen = history.firstEvent(of: device, thatHasSeen: other, from: sequence) else {
          continue
        }
        let id = DeviceID(trusted: name(device))
        first[id] = min(first[id] ?? .max, seen)
      }
    }
    return first
  }
}

/// What the side holds that the run was started on.
private struct LocalHistories: DeviceHistories {
  let points: [DeviceID: HistoryPoint]
  let local: any LocalReplica

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    try await local.checksum(of: event)
  }
}
