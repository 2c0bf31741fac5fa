/// The steps of a repair.
///
/// Each of them leaves a journal behind that is whole and holds all that it held before, so that a
/// repair may break off anywhere, be run again, and be run by several devices at once.
struct JournalRepair {
  let local: LedgerReplica

  /// Settles forks with another copy, and takes from it what is missing here.
  func run(from remote: any Remote) async throws(EventLogError) -> RepairReport {
    try await local.withWriter { (writer) throws(EventLogError) in
      ScratchFolder.removeLeftOvers(of: writer.side)
    }
    var report = try await tidy(givingUp: false)
    var pulled = EventRanges()
    // A branch with a hole cannot be written again.
    report.damage = try await damage()
    // What is written again may differ from what somebody wrote again who knew other forks.
    if report.damage != nil {
      try await take(from: remote, &report, &pulled)
      _ = try await tidyAgain(&report)
    }
    var adoption = BranchAdoption(local)
    for _ in 0..<Self.roundsMax {
      let hasGivenUp = try await settle(with: remote, &adoption, &report, &pulled)
      try await take(from: remote, &report, &pulled)
      let hasSettled = try await tidyAgain(&report)
      if hasGivenUp || hasSettled { continue }
      if try await !settle(&adoption, &report, &pulled) { break }
    }
    report.pulled = pulled.ranges
    report.damage = try await damage()
    return report
  }

  /// Puts in order what needs no other copy, and, if asked to, gives up what no copy can give back.
  func run(givingUp givesUp: Bool) async throws(EventLogError) -> RepairReport {
    var report = try await tidy(givingUp: givesUp)
    report.damage = try await damage()
    return report
  }

  // MARK: - Steps

  private static let roundsMax = 8

  /// Takes what the other side has and this one lacks, into holes too.
  func take(
    from remote: any Remote, _ report: inout RepairReport, _ pulled: inout EventRanges
  ) async throws(EventLogError) {
    for try await step in Replication(local: local, remote: remote, .pull, rehearsing: false) {
      guard case .finished(let done) = step else { continue }
      for range in done.pulled { pulled.insert(range) }
      report.refused = done.refused
      report.notices += done.notices.filter { !report.notices.contains($0) }
    }
    guard let outcome = await local.takeOutcome() else { return }
    report.add(outcome)
    for range in outcome.refilled.ranges + outcome.stranded.ranges { pulled.subtract(range) }
  }

  /// Settles forks of which a refill has put both branches into the file.
  ///
  /// - Returns: whether there were any that could be.
  private func tidyAgain(_ report: inout RepairReport) async throws(EventLogError) -> Bool {
    let hasFork = try await local.withWriter { (writer) throws(EventLogError) in
      _ = try writer.refresh()
      return writer.pass.ledger.hasFork
    }
    guard hasFork else { return false }
    let further = try await tidy(givingUp: false)
    report.reissued += further.reissued
    report.quarantined += further.quarantined
    report.reorderedCount += further.reorderedCount
    return !further.reissued.isEmpty
  }

  private func tidy(givingUp givesUp: Bool) async throws(EventLogError) -> RepairReport {
    try await local.withWriter { (writer) throws(EventLogError) in
      var report = RepairReport()
      try writer.secure()
      let before = writer.pass
      var all = RewriteOutcome()
      // Of several branches in the file, each time one is settled.
      while true {
        let outcome = try writer.tidy(givingUp: givesUp)
        report.add(outcome)
        all.moves += outcome.moves
        _ = try writer.refresh()
        if outcome.moves.isEmpty || !writer.pass.ledger.hasFork { break }
      }
      if givesUp {
        report.lost = Self.lost(before, all, held: writer.pass.ledger)
      }
      return report
    }
  }

  /// What is missing between the events that were written again, and what damaged lines still say
  /// they held.
  private static func lost(
    _ before: JournalPass<LedgerSink>, _ outcome: RewriteOutcome, held: Ledger
  ) -> [EventRange] {
    var lost = EventRanges()
    for range in before.ledger.stranded {
      var next = range.first
      for move in outcome.moves.map(\.from) where move.device == range.device {
        if move.first > next {
          lost.insert(EventRange(device: range.device, first: next, last: move.first - 1))
        }
        next = max(next, move.last + 1)
      }
    }
    for problem in before.problems.kept {
      guard case .line = problem.code, let device = problem.device.flatMap({ DeviceID($0) }),
        let sequence = problem.sequence, sequence > held.last(of: device)
      else { continue }
      let event = EventID(device: device, sequence: sequence)
      if !outcome.moves.contains(where: { $0.from.contains(event) }) { lost.insert(event) }
    }
    return lost.ranges
  }

  /// Gives up the branches that the other side keeps.
  ///
  /// - Returns: whether there were any.
  private func settle(
    with remote: any Remote, _ adoption: inout BranchAdoption, _ report: inout RepairReport,
    _ pulled: inout EventRanges
  ) async throws(EventLogError) -> Bool {
    let visit = try await local.visit(remote.address, rehearsing: false)
    let session = try await remote.connect(visit)
    let ours = try await local.open(rehearsing: false).statement
    let theirs = try await session.statement(
      to: LocalHistories(points: ours.frontier, reissues: ours.reissues, local: local))
    if theirs.isEmpty {
      throw EventLogError(
        .noJournal, "\"\(remote.address)\" holds no event to repair anything with.",
        hint: "Check the path.")
    }
    guard Self.isOneUser(ours, theirs) else { return false }
    let search = DisputeSearch(ours: ours, theirs: theirs, local: local, session: session)
    let disputes = try await search.find()
    var lost = try await givenUp(ours.reissues + theirs.reissues)
    report.forks = []
    for (device, sequence) in disputes.forks.sorted(by: { $0.key < $1.key }) {
      let event = EventID(device: device, sequence: sequence)
      guard lost[event] == nil, let own = try await local.checksum(of: event) else { continue }
      if ours.frontier[device] != nil {
        switch try await search.leastChecksum(of: event) {
        case nil: report.forks.append(.init(event: event, reason: .unreadable))
        case let other? where other < own: lost[event] = own
        default: report.forks.append(.init(event: event, reason: .keepsID))
        }
      }
    }
    let comparison = HistoryComparison(
      ours: ours, theirs: theirs, local: local, session: session)
    let taken = try await adoption.prepare(
      comparison, from: remote, disputes.forks, giving: lost)
    pulled.formUnion(taken)
    try await session.finish()
    if let reason = try await local.notice(
      [theirs.frontier] + theirs.claims + theirs.withheld + theirs.hearsay)
    {
      report.notices.append(reason)
    }
    if lost.isEmpty { return taken.count > 0 }
    guard let points = try await local.beginGivingUp(lost) else {
      report.forks += lost.keys.sorted { $0.device < $1.device }.map {
        .init(event: $0, reason: .incomplete)
      }
      return false
    }
    let left = disputes.without(lost, theirs.reissues)
    let reissues = lost.map { Reissue(device: $0.key.device, original: $0.key, checksum: $0.value) }
    try await receive(
      from: remote, visit,
      LocalHistories(points: points, reissues: ours.reissues + reissues, local: local), left)
    var outcome = try await local.giveUp(lost)
    for range in outcome.refilled.ranges { pulled.insert(range) }
    outcome.refilled = EventRanges()
    report.add(outcome)
    return !outcome.moves.isEmpty
  }

  /// What is held here though somebody carries it again.
  private func givenUp(
    _ reissues: [Reissue]
  ) async throws(EventLogError) -> [EventID: LineChecksum] {
    var given: [EventID: LineChecksum] = [:]
    for reissue in reissues
    where try await local.checksum(of: reissue.original) == reissue.checksum {
      given[reissue.original] = reissue.checksum
    }
    return given
  }

  /// Takes what the other side holds beside what is going to be given up here: some of that it may
  /// have written again already.
  private func receive(
    from remote: any Remote, _ visit: RemoteVisit, _ histories: LocalHistories,
    _ disputes: Disputes
  ) async throws(EventLogError) {
    let session = try await remote.connect(visit)
    let theirs = try await session.statement(to: histories)
    let plan = ReplicationPlan(
      ours: histories.points.mapValues(\.sequence),
      theirs: theirs.frontier.mapValues(\.sequence), forks: disputes.forks,
      barred: disputes.barred, .pull)
    if !plan.pulls.isEmpty {
      let source = try await session.read(plan.pulls)
      while let lines = try await source.next() {
        _ = try await local.receive(
          lines, from: theirs.user, on: ReceivingTerms(disputed: disputes.first))
      }
    }
    try await session.finish()
  }

  /// The run that follows tells what is wrong.
  private static func isOneUser(_ ours: FrontierStatement, _ theirs: FrontierStatement) -> Bool {
    guard let here = ours.user, let there = theirs.user else { return false }
    return here.utf8.elementsEqual(there.utf8)
  }

  private func damage() async throws(EventLogError) -> JournalProblem? {
    try await local.withWriter { (writer) throws(EventLogError) in
      _ = try writer.refresh()
      return writer.pass.problems.firstDamage
    }
  }
}

extension DisputeSearch {
  /// The smallest checksum that the other side, or one of those who speak for it, has of an event;
  /// nil where none can be read.
  func leastChecksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    let claims = theirs.claims.isEmpty ? [theirs.frontier] : theirs.claims
    var least = theirs.withheld.compactMap { $0[event.device] }
      .filter { $0.sequence == event.sequence }.map(\.checksum).min()
    for point in Set(claims.compactMap({ $0[event.device] })) where point.sequence >= event.sequence
    {
      guard let checksum = try await session.checksum(of: event, inHistoryTo: point) else {
        continue
      }
      least = min(checksum, least ?? checksum)
    }
    return least
  }
}

extension Ledger {
  /// Whether both branches of a fork were read.
  fileprivate var hasFork: Bool { devices.contains { $0.fork != nil } }

  /// The last event of a device that is held; 0 for none.
  fileprivate func last(of device: DeviceID) -> Int64 { find(device).map { devices[$0].last } ?? 0 }
}
