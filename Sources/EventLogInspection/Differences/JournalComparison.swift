/// Works out what two journals that were read do not have in common.
struct JournalComparison: Sendable {
  /// One of the journals, read to its end.
  struct Side: Sendable {
    let journal: Journal
    let file: JournalFile
    let pass: JournalPass<Fold>
    let end: JournalReading.End
  }

  let left: Side
  let right: Side
  /// The left one's state after a beginning of its file: what the bases of new conflicts may be
  /// found in without a reading.
  let past: JournalPass<Fold>?
  private var result = JournalDifference()
  init(left: Side, right: Side, past: JournalPass<Fold>?) {
    self.left = left
    self.right = right
    self.past = past
  }

  mutating func difference() throws(EventLogError) -> JournalDifference {
    try checkUsers()
    (result.leftLedger, result.rightLedger) = (left.ledger, right.ledger)
    result.leftTips = left.ledger.tips.map(left.ledger.fullID)
    result.rightTips = right.ledger.tips.map(right.ledger.fullID)
    for side in [right, left] {
      for device in side.ledger.devices.indices {
        result.deviceNames[DeviceID(trusted: side.ledger.names.text(device))] =
          side.ledger.name(of: device)
      }
    }
    noteProblems()
    result.left = Self.ranges(of: left.ledger, besides: right.ledger)
    result.right = Self.ranges(of: right.ledger, besides: left.ledger)
    result.forks = left.ledger.forks
    if result.isEmpty { return result }
    result.unknownNames = (left.pass.sink.unknownNames, right.pass.sink.unknownNames)
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
      !left.ledger.users.belongs(Array(there.utf8)),
      !right.ledger.users.belongs(Array(here.utf8))
    else { return }
    throw EventLogError(
      .otherUser,
      "\"\(left.journal.path)\" and \"\(right.journal.path)\" belong to different users, so"
        + " they cannot be compared.", hint: "Check the paths.")
  }

  private mutating func noteProblems() {
    result.damage = (left.pass.report.firstDamage, right.pass.report.firstDamage)
    result.warnings = (
      left.journal.tailProblems(left.end), right.journal.tailProblems(right.end)
    )
  }

  /// The events that one side holds and the other does not.
  private static func ranges(of ledger: Ledger, besides other: Ledger) -> [EventRange] {
    var ranges: Set<EventRange> = []
    // Most histories part once, if at all: behind what is held in both, nothing is looked at.
    let isWhole = ledger.missing.isEmpty && other.missing.isEmpty
    for tip in ledger.tips {
      ranges.formUnion(
        isWhole ? lackingAtEnd(tip, ledger, other) : lackingOneByOne(tip, ledger, other))
    }
    return ranges.sorted()
  }

  /// The events of a history that the other side does not hold, where nothing is missing.
  private static func lackingAtEnd(
    _ tip: Ledger.Point, _ ledger: Ledger, _ other: Ledger
  ) -> [EventRange] {
    if other.holds(ledger.fullID(tip)) { return [] }
    var (low, high) = (Int64(0), tip.sequence)
    while high - low > 1 {
      let middle = (low + high) / 2
      let isHeld = ledger.event(at: middle, inHistoryOf: tip)
        .map { other.holds(ledger.fullID($0)) }
      if isHeld ?? true { low = middle } else { high = middle }
    }
    return [EventRange(from: high, to: ledger.fullID(tip))]
  }

  /// The same where events may be missing anywhere.
  private static func lackingOneByOne(
    _ tip: Ledger.Point, _ ledger: Ledger, _ other: Ledger
  ) -> [EventRange] {
    var ranges: [EventRange] = []
    var end: FullEventID?
    var first: Int64 = 0
    var point: Ledger.Point? = tip
    func close() {
      if let end { ranges.append(EventRange(from: first, to: end)) }
    }
    while let at = point {
      let event = ledger.fullID(at)
      if ledger.isHeld(at), !other.holds(event) {
        if end == nil || event.sequence + 1 != first {
          close()
          end = event
        }
        first = event.sequence
      } else {
        close()
        end = nil
      }
      point = ledger.before(at)
    }
    close()
    return ranges
  }

  /// Fills in what shows otherwise. Only what the events are about that one side has alone can.
  private static func compareFields(
    _ left: Side, _ right: Side, _ found: JournalDifference
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
    if result.right.isEmpty { return }
    var pass = left.pass
    pass.sink.paginate()
    var batch = JournalBatch(
      pass: pass, path: left.journal.path, device: nil,
      options: JournalOptions(devicesMax: .max), start: pass.endOffset,
      startLine: pass.nextLineNumber)
    var reader = right.reader(result.right)
    let terms = ReceivingTerms(missing: right.ledger.missingRanges)
    var received = ReceiveResult()
    var lines: [UInt8] = []
    while let next = try reader.next() {
      received.add(try batch.receive(next.bytes, on: terms))
      lines += next.bytes
      batch.forgetBytes()
      if batch.pass.ledger.mustReread {
        // What came has changed what earlier lines had seen: all is read anew.
        var reread = left.rereading
        reread.further = lines
        batch.pass = try reread.pass(Fold(left.pass.sink.catalog), like: batch.pass)
      }
    }
    result.refused += received.refused.map {
      .init(device: $0.device, sequence: $0.sequence, code: $0.code, by: .ours)
    }
    result.forks = batch.pass.ledger.forks
    try findConflicts(batch.pass, received: received.received.ranges)
  }

  private mutating func findConflicts(
    _ merged: JournalPass<Fold>, received: [EventRange]
  ) throws(EventLogError) {
    let (fold, ledger) = (merged.sink, merged.ledger)
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
      past: past.flatMap { past in
        // Behind a restart, branches have other numbers.
        past.restartCount == merged.restartCount
          ? PastState(fold: past.sink, ledger: past.ledger, endOffset: past.endOffset) : nil
      },
      reread: reread)
    result.conflicts = fold.conflicts(new, ledger, bases)
  }
}

extension JournalComparison.Side {
  fileprivate var ledger: Ledger { pass.ledger }
  /// The end of the lines that were read.
  private var size: Int64 { end.lacksLineFeed ? end.size : pass.endOffset }

  fileprivate func reader(_ ranges: [EventRange]) -> RangeReader {
    RangeReader(
      ranges, path: journal.path, file: file.descriptor, fileSystem: journal.fileSystem,
      ledger: ledger, size: size)
  }

  fileprivate var rereading: JournalRereading {
    JournalRereading(
      JournalReading(path: journal.path, fileSystem: journal.fileSystem, file: file.descriptor),
      upTo: size, after: pass)
  }

  /// The state without the bases of its conflicts, which a comparison does not need.
  fileprivate var snapshot: Snapshot {
    Snapshot(fold: pass.sink, ledger: ledger, damage: [], bases: ConflictBases())
  }
}
