/// The bases of conflicts of which a write is known that all candidates had seen: they follow from
/// that write, and from the events that all candidates had seen and that it had not. Only those
/// are read.
///
/// What the write had seen it replaced. Among the others, those count that none of them has seen,
/// and the latest of these showed.
struct NamedBases {
  private let conflicts: [OpenConflict]
  private let cuts: [PastCut]
  private let ledger: Ledger
  /// The events that are to be read.
  private let wanted: WantedEvents
  /// A copy of the fold whose names and rules tell what an event writes; it is never written to.
  private var fold: Fold
  /// Which conflict is about a row and field.
  private var places = IndexTable()
  /// What was read, and per conflict the writes among it.
  private var known: Set<Ledger.Point> = []
  private var writes: [[Ledger.Point: Write]]

  private struct Write {
    var dot: Dot
    var value: [UInt8] = []
    var number: Int64 = 0
  }

  /// - Parameters:
  ///   - cuts: per conflict what all candidates had seen; they must hold what their events had.
  ///   - writes: per conflict some writes to its field that are in the cut.
  init(
    _ conflicts: [OpenConflict], _ cuts: [PastCut], _ writes: [[Ledger.Point]], in fold: Fold,
    _ ledger: Ledger
  ) {
    self.conflicts = conflicts
    self.cuts = cuts
    self.ledger = ledger
    self.fold = fold
    self.writes = conflicts.map { _ in [:] }
    var runs: [(Int32, ClosedRange<Int64>)] = []
    for (index, conflict) in conflicts.enumerated() {
      places.insert(conflict.row, conflict.fieldIndex, Int32(index))
      for point in writes[index] { runs.append((point.branch, point.sequence...point.sequence)) }
      for (branch, limit) in cuts[index].limits {
        let seen = writes[index].map { ledger.seen(branch, by: $0) }.max() ?? 0
        let state = ledger.branches[Int(branch)]
        let first = max(seen + 1, state.first + (state.isMissing ? 1 : 0))
        if first <= limit { runs.append((branch, first...limit)) }
      }
    }
    wanted = WantedEvents(runs)
  }

  /// How many events are to be read.
  var eventCount: Int { wanted.count }

  /// Reads them.
  ///
  /// - Returns: the bases, or nil where some of the events were not found.
  mutating func read(_ reread: JournalRereading) throws(EventLogError) -> [JSONValue?]? {
    try reread.read(wanted, ledger.index, into: &self)
    guard known.count == wanted.count, writes.allSatisfy({ !$0.isEmpty }) else { return nil }
    return conflicts.indices.map(value)
  }

  private func value(_ index: Int) -> JSONValue? {
    let all = Array(writes[index].values)
    let live = all.filter { write in
      !all.contains {
        $0.dot.point != write.dot.point && ledger.hasSeen($0.dot.point, write.dot.point)
      }
    }
    guard let first = live.first else { return nil }
    let shown = live.reduce(first) { $1.dot.isLater(than: $0.dot, ledger) ? $1 : $0 }
    guard case .counter(let cell) = conflicts[index].subject else {
      return JSONValue(canonical: shown.value[...])
    }
    let counters = fold.counters
    let seen = counters.sum(Int(cell)) { ledger.seen($0, by: shown.dot.point) } ?? 0
    let sum = counters.sum(Int(cell), upTo: cuts[index].limit) ?? 0
    return .number(JSONNumber(max(0, shown.number &- seen &+ sum)))
  }
}

extension NamedBases: LineSink {
  var isStopped: Bool { false }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let point = ledger.point(of: layout, canonical), wanted.contains(point),
      known.insert(point).inserted, layout.version == 1
    else { return }
    guard let (type, _, row) = fold.planned(layout, canonical) else { return }
    let dot = Dot(branch: point.branch, sequence: point.sequence, at: layout.atMilliseconds)
    for step in fold.steps {
      switch step.action {
      case .write:
        let value = canonical.copy(layout.members[Int(step.member)].value)
        note(Write(dot: dot, value: value), row, step.field)
      case .set: note(Write(dot: dot, number: step.number), row, step.field)
      case .ignore, .day, .key, .advance, .include, .exclude: break
      }
    }
    for (field, value) in fold.compiled.types[type].assigns {
      note(Write(dot: dot, value: value), row, field)
    }
  }

  private mutating func note(_ write: Write, _ row: Int32, _ field: Int32) {
    let place = Int(places.find(row, field))
    guard place >= 0, cuts[place].contains(write.dot.point) else { return }
    writes[place][write.dot.point] = write
  }
}
