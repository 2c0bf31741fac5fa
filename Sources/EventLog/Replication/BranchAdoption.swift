/// Settles forks with branches that lie in a place to which several write.
///
/// Whoever wrote such a branch may be gone, and nobody else holds it: where both branches are in the
/// place, nobody new takes either. So whoever repairs a journal with the place stands in for those
/// who are gone. Each branch that gives way is taken into a journal of its own, as if the others had
/// been given up; that journal is repaired like that of a device, and hands over what it has written
/// again. The place itself is not changed: what is in the journal then crosses as ever.
struct BranchAdoption {
  let local: LedgerReplica
  private var scratch: ScratchFolder?
  private var madeCount = 0
  /// Journals that hold one branch each.
  private var branches: [(replica: LedgerReplica, remote: JournalRemote)] = []

  init(_ local: LedgerReplica) { self.local = local }

  /// Takes what has to be taken from the place before anything is given up here: from then on it
  /// would pass for what was given up.
  ///
  /// - Parameters:
  ///   - forked: where the sides differ, per device.
  ///   - lost: what this side is about to give up.
  /// - Returns: what this journal has got where it held neither branch.
  mutating func prepare(
    _ comparison: HistoryComparison, from remote: any Remote, _ forked: [DeviceID: Int64],
    giving lost: [EventID: LineChecksum]
  ) async throws(EventLogError) -> EventRanges {
    guard !comparison.theirs.claims.isEmpty, !forked.isEmpty, branches.isEmpty else {
      return .init()
    }
    let rivals = try await comparison.rivals(of: .ours)
    var chosen: [HistoryComparison.Rivals] = []
    // What was taken aside in an earlier round is enough until it is settled.
    let isFull = !branches.isEmpty
    for (device, sequence) in forked.sorted(by: { $0.key < $1.key }) {
      let fork = try await Fork(EventID(device: device, sequence: sequence), comparison)
      if let keeper = fork.keeperOfNeither {
        let rivals = try await comparison.rivals(of: .claim(keeper))
        let taken = try await take(from: remote, without: rivals.reissues, into: local)
        if taken.count > 0 { return taken }
      }
      if isFull { continue }
      let givesWay = lost.keys.contains { $0.device == device }
      for index in fork.givingWay(ours: givesWay ? rivals.claims : [])
      where chosen.allSatisfy({ $0.claims.contains(index) }) {
        let rivals = try await comparison.rivals(of: .claim(index))
        chosen.append(rivals)
        try await adopt(rivals, from: remote, comparison.ours)
      }
    }
    if !lost.isEmpty {
      // What goes on from the branch that is given up here, or has seen it, moves with it.
      _ = try await take(from: remote, without: rivals.reissues, into: local)
    }
    return .init()
  }

  /// The branches at an event, by who speaks for the other side.
  private struct Fork {
    private let own: LineChecksum?
    /// Whether this side may hold one of them all the same.
    private let isStranded: Bool
    private var checksums: [(index: Int, checksum: LineChecksum)] = []
    private var least: LineChecksum?

    init(_ event: EventID, _ comparison: HistoryComparison) async throws(EventLogError) {
      own = try await comparison.local.checksum(of: event)
      isStranded = comparison.ours.stranded.contains { $0.device == event.device }
      least = own
      for index in comparison.theirs.claims.indices {
        guard let checksum = try await comparison.checksum(of: event, in: .claim(index)) else {
          continue
        }
        checksums.append((index, checksum))
        least = min(checksum, least ?? checksum)
      }
    }

    /// Where this side has read only what all have in common: one of those whose branch keeps the
    /// ID.
    var keeperOfNeither: Int? {
      own == nil && !isStranded ? checksums.first { $0.checksum == least }?.index : nil
    }

    /// Those whose branch does not.
    ///
    /// - Parameter ours: those of the branch of this side who part from it later, where that gives
    ///   way.
    func givingWay(ours: Set<Int>) -> [Int] {
      if own == nil { return [] }
      return checksums.filter {
        $0.checksum == own ? ours.contains($0.index) : $0.checksum != least
      }.map(\.index)
    }
  }

  // MARK: - Taking a branch

  /// Takes a branch into a journal of its own.
  private mutating func adopt(
    _ rivals: HistoryComparison.Rivals, from remote: any Remote, _ ours: FrontierStatement
  ) async throws(EventLogError) {
    let (side, old) = try await local.withWriter { (writer) throws(EventLogError) in
      (writer.side, writer.options)
    }
    if scratch == nil { scratch = try ScratchFolder(in: side) }
    guard let scratch else { return }
    var options = old
    options.user = ours.user
    options.usesCheckpoints = false
    madeCount += 1
    let path = Path.join(scratch.path, "\(madeCount).jsonl")
    let branch = LedgerReplica(path, options)
    // What both have in common may be nowhere else.
    let plan = ReplicationPlan(
      ours: [:], theirs: ours.frontier.mapValues(\.sequence), forks: rivals.ours, .pull)
    let source = try await local.read(plan.pulls)
    while let lines = try await source.next() {
      _ = try await branch.receive(
        lines, from: ours.user, on: ReceivingTerms(disputed: rivals.ours))
    }
    if try await take(from: remote, without: rivals.reissues, into: branch).count > 0 {
      branches.append((branch, JournalRemote(path: path, options: options)))
    }
  }

  /// Takes what is in the place, as if some events had been given up.
  ///
  /// - Returns: what came.
  private func take(
    from remote: any Remote, without reissues: Set<Reissue>, into replica: LedgerReplica
  ) async throws(EventLogError) -> EventRanges {
    let visit = try await local.visit(remote.address, rehearsing: false)
    var ours = try await statement(of: replica)
    ours.reissues += reissues
    let session = try await remote.connect(visit)
    let theirs = try await session.statement(
      to: LocalHistories(points: ours.frontier, reissues: ours.reissues, local: replica))
    let disputes = try await DisputeSearch(
      ours: ours, theirs: theirs, local: replica, session: session
    ).find()
    let plan = ReplicationPlan(
      ours: ours.frontier.mapValues(\.sequence), theirs: theirs.frontier.mapValues(\.sequence),
      forks: disputes.forks, barred: disputes.barred, .pull)
    var taken = EventRanges()
    if !plan.pulls.isEmpty {
      let source = try await session.read(plan.pulls)
      let terms = ReceivingTerms(
        disputed: disputes.first, asked: plan.asked(of: theirs.frontier))
      while let lines = try await source.next() {
        taken.formUnion(try await replica.receive(lines, from: theirs.user, on: terms).received)
      }
    }
    try await session.finish()
    _ = try await replica.completeReception()
    return taken
  }

  /// One that is still to be made holds nothing.
  private func statement(
    of replica: LedgerReplica
  ) async throws(EventLogError) -> FrontierStatement {
    do throws(EventLogError) { return try await replica.open(rehearsing: false).statement } catch {
      guard error.code == .noJournal else { throw error }
      return FrontierStatement()
    }
  }

  // MARK: - Handing over

  /// The journals that hold a branch each; they are gone when this value is.
  mutating func takeBranches() -> [(replica: LedgerReplica, remote: JournalRemote)] {
    defer { branches = [] }
    return branches
  }
}

extension JournalRepair {
  /// Has the branches that were taken aside written again, and takes that over.
  ///
  /// - Returns: whether there was any.
  func settle(
    _ adoption: inout BranchAdoption, _ report: inout RepairReport, _ pulled: inout EventRanges
  ) async throws(EventLogError) -> Bool {
    let branches = adoption.takeBranches()
    if branches.isEmpty { return false }
    let here = try await local.withWriter { (writer) throws(EventLogError) in
      JournalRemote(path: writer.path, options: writer.options)
    }
    var hasSettled = false
    for branch in branches {
      let done = try await JournalRepair(local: branch.replica).run(from: here)
      var new: [RepairReport.Move] = []
      for move in done.reissued where try await local.checksum(of: move.to.end) == nil {
        new.append(move)
      }
      try await take(from: branch.remote, &report, &pulled)
      for move in new where try await local.checksum(of: move.to.end) != nil {
        report.reissued.append(move)
        // It is said once what came of them.
        pulled.subtract(EventRange(device: move.to.device, first: 1, last: move.to.last))
        hasSettled = true
      }
    }
    return hasSettled
  }
}

extension EventRange {
  fileprivate var end: EventID { EventID(device: device, sequence: last) }
}
