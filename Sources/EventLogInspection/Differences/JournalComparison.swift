import EventLog

/// Determines the differences between two journals after they were read.
struct JournalComparison: Sendable {
  private let journals: ComparedJournals
  @Boxed private var result = JournalDifference()

  init(_ journals: ComparedJournals) { self.journals = journals }

  private var left: ComparedJournal { journals.left }
  private var right: ComparedJournal { journals.right }

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
    result.unknownNames = (left.fold.unknownNames, right.fold.unknownNames)
    let found = result
    let (shown, merge) = try SerialWorker(label: "eventlog.compare").both(
      there: { [left, right] () throws(EventLogError) in
        try Self.compareFields(left, right, found)
      },
      here: { () throws(EventLogError) in
        found.right.isEmpty ? nil : try journals.merge(found.right)
      })
    (result.leftTimes, result.rightTimes) = (shown.leftTimes, shown.rightTimes)
    result.fields = shown.fields
    if let merge {
      (result.forks, result.conflicts, result.refused) = (
        merge.forks, merge.conflicts, merge.refused
      )
    }
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
    result.damage = (left.findings.firstDamage, right.findings.firstDamage)
    result.warnings = (left.warnings, right.warnings)
  }

  /// Returns the events that one side holds and the other doesn't.
  private static func ranges(of ledger: Ledger, besides other: Ledger) -> [EventRange] {
    var ranges: Set<EventRange> = []
    // Without gaps, a history diverges at most once, so a binary search finds the first event.
    let isWhole = ledger.missing.isEmpty && other.missing.isEmpty
    for tip in ledger.tips {
      ranges.formUnion(
        isWhole ? lackingAtEnd(tip, ledger, other) : lackingOneByOne(tip, ledger, other))
    }
    return ranges.sorted()
  }

  /// Returns the events of a history that the other side doesn't hold, if neither side has gaps.
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

  /// Returns the same if any event may be missing.
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

  /// Adds the fields that differ, which are in rows of events that one side holds alone.
  private static func compareFields(
    _ left: ComparedJournal, _ right: ComparedJournal, _ found: JournalDifference
  ) throws(EventLogError) -> JournalDifference {
    var result = found
    var rows = TouchedRows(by: left.fold.catalog)
    result.leftTimes = try rows.collect(left.reader(found.left), of: left.fold)
    result.rightTimes = try rows.collect(right.reader(found.right), of: right.fold)
    result.fields = FieldComparison(left.snapshot, right.snapshot, in: rows).fields
    return result
  }
}
