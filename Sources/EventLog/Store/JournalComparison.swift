/// Works out what two journals that were read do not have in common.
struct JournalComparison: Sendable {
  let left: ComparedJournal
  let right: ComparedJournal
  /// The left one's state after a beginning of its file: what the bases of new conflicts may be
  /// found in without a reading.
  let past: JournalPass<Fold>?
  private var result = JournalDifference()
  private var leftPoints: [DeviceID: HistoryPoint] = [:]
  private var rightPoints: [DeviceID: HistoryPoint] = [:]
  private var forks: [DeviceID: Int64] = [:]

  init(left: ComparedJournal, right: ComparedJournal, past: JournalPass<Fold>?) {
    self.left = left
    self.right = right
    self.past = past
  }

  mutating func difference() throws(EventLogError) -> JournalDifference {
    try checkUsers()
    leftPoints = try left.points()
    rightPoints = try right.points()
    (result.leftPoints, result.rightPoints) = (leftPoints, rightPoints)
    result.leftClock = VectorClock(leftPoints.map { ($0.key, $0.value.sequence) })
    result.rightClock = VectorClock(rightPoints.map { ($0.key, $0.value.sequence) })
    for side in [right, left] {
      for device in side.ledger.devices.indices {
        result.deviceNames[DeviceID(trusted: side.ledger.name(device))] =
          side.ledger.devices[device].name
      }
    }
    noteProblems()
    try findForks()
    findRanges()
    if result.isEmpty { return result }
    let found = result
    let shown = try SerialWorker(label: "eventlog.compare").both(
      there: { [left, right] () throws(EventLogError) in
        try Self.compareFields(left, right, found)
      },
      here: { () throws(EventLogError) in try mergeInMind() }
    ).there
    (result.leftTimes, result.rightTimes) = (shown.leftTimes, shown.rightTimes)
    result.fields = shown.fields
    return result
  }

  private func checkUsers() throws(EventLogError) {
    guard let here = left.ledger.user, let there = right.ledger.user,
      !left.ledger.belongs(there), !right.ledger.belongs(here)
    else { return }
    throw EventLogError(
      .otherUser,
      "\"\(left.journal.path)\" and \"\(right.journal.path)\" are the journals of two users: they"
        + " have nothing to compare.", hint: "Check the paths.")
  }

  private mutating func noteProblems() {
    result.damage = (left.pass.problems.firstDamage, right.pass.problems.firstDamage)
    result.warnings = (
      left.pass.problems.kept.filter { !$0.isDamage } + left.journal.tailProblems(left.end),
      right.pass.problems.kept.filter { !$0.isDamage } + right.journal.tailProblems(right.end)
    )
  }

  private mutating func findForks() throws(EventLogError) {
    for (device, here) in leftPoints.sorted(by: { $0.key < $1.key }) {
      guard let there = rightPoints[device], here != there else { continue }
      let (left, right) = (left, right)
      forks[device] = try ForkSearch.firstDifferenceAtOnce(
        of: device, here, there,
        ourLookup: { (event) throws(EventLogError) in try left.checksum(of: event) },
        theirLookup: { (event) throws(EventLogError) in try right.checksum(of: event) })
    }
    result.forks = forks.sorted { $0.key < $1.key }.map {
      EventID(device: $0.key, sequence: $0.value)
    }
  }

  private mutating func findRanges() {
    for device in Set(leftPoints.keys).union(rightPoints.keys).sorted() {
      let (here, there) = (leftPoints[device]?.sequence ?? 0, rightPoints[device]?.sequence ?? 0)
      let common = forks[device].map { $0 - 1 } ?? min(here, there)
      if here > common {
        result.left.append(EventRange(device: device, first: common + 1, last: here))
      }
      if there > common {
        result.right.append(EventRange(device: device, first: common + 1, last: there))
      }
    }
  }

  /// Fills in what shows otherwise. Only what the events are about that one side has alone can.
  private static func compareFields(
    _ left: ComparedJournal, _ right: ComparedJournal, _ found: JournalDifference
  ) throws(EventLogError) -> JournalDifference {
    var result = found
    var places = TouchedPlaces(by: left.pass.sink.catalog)
    result.leftTimes = try places.collect(left.reader(found.left), of: left.pass.sink)
    result.rightTimes = try places.collect(right.reader(found.right), of: right.pass.sink)
    result.fields = FieldComparison(left.snapshot, right.snapshot, in: places).fields
    return result
  }

  // MARK: - Merging, in mind only

  /// Gives a copy of the left state what the right journal has alone, by the rules by which a
  /// replication would.
  private mutating func mergeInMind() throws(EventLogError) {
    let crossing = crossing()
    if crossing.isEmpty { return }
    var pass = left.pass
    pass.sink.paginate()
    var batch = JournalBatch(
      pass: pass, device: nil, options: JournalOptions(), start: pass.endOffset,
      startLine: pass.nextLineNumber)
    var reader = right.reader(crossing)
    var reception = Reception()
    while let lines = try reader.next() {
      reception.add(batch.receive(lines.bytes, on: ReceivingTerms(disputed: forks)))
      batch.forgetBytes()
    }
    result.refused += reception.refused.map {
      .init(device: $0.device, sequence: $0.sequence, code: $0.code, by: .ours)
    }
    try findConflicts(batch.pass.sink, batch.pass.ledger, received: reception.received.ranges)
  }

  /// What the right journal would send: no side of a fork, nothing that has seen one, and nothing
  /// of a device behind whose hole here more stands.
  private mutating func crossing() -> [EventRange] {
    let firstSeeing = right.ledger.firstSeeing(forks)
    return result.right.compactMap { range in
      if forks[range.device] != nil { return nil }
      if let index = left.ledger.find(range.device), left.ledger.devices[index].isStopped {
        result.refused.append(
          .init(device: range.device, sequence: range.first, code: .gap, by: .ours))
        return nil
      }
      let last = min(range.last, (firstSeeing[range.device] ?? .max) - 1)
      return last < range.first
        ? nil : EventRange(device: range.device, first: range.first, last: last)
    }
  }

  private mutating func findConflicts(
    _ fold: Fold, _ ledger: Ledger, received: [EventRange]
  ) throws(EventLogError) {
    let known = [
      left.pass.sink.conflictCandidates(left.ledger),
      right.pass.sink.conflictCandidates(right.ledger),
    ]
    let new = fold.openConflicts(ledger, besides: known)
    if new.isEmpty { return }
    // Only what is new is asked for its base: it may take a reading.
    var bases = ConflictBases()
    var reread = left.rereading
    reread.furtherRanges = right.reader(received)
    try bases.update(
      for: new, in: fold, ledger,
      past: past.map {
        PastState(fold: $0.sink, ledger: $0.ledger, endOffset: $0.endOffset)
      },
      reread: reread)
    result.conflicts = fold.conflicts(new, ledger, bases)
  }
}
