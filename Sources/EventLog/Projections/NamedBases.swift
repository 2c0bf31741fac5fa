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
  ///   - writes: per conflict some writes to its field that are in the cut, whose clocks hold what
  ///     their events had seen.
  init(
    _ conflicts: [OpenConflict], _ cuts: [PastCut], _ writes: [[Ledger.Point]], in fold: Fold,
    _ ledger: Ledger
  ) {
    var runs = writes.joined().map { (branch: $0.branch, sequences: $0.sequence...$0.sequence) }
    for (cut, writes) in zip(cuts, writes) {
      runs += Self.runs(of: cut, ledger) { branch, _ in
        (writes.map { ledger.seen(branch, by: $0) }.max() ?? 0) + 1
      }
    }
    self.init(conflicts, cuts, reading: runs, in: fold, ledger)
  }

  /// - Parameter count: how many events are to be read of each branch in a cut: the last ones.
  init(
    _ conflicts: [OpenConflict], _ cuts: [PastCut], last count: Int64, in fold: Fold,
    _ ledger: Ledger
  ) {
    let runs = cuts.flatMap { cut in
      Self.runs(of: cut, ledger) { _, limit in limit - count + 1 }
    }
    self.init(conflicts, cuts, reading: runs, in: fold, ledger)
  }

  private init(
    _ conflicts: [OpenConflict], _ cuts: [PastCut],
    reading runs: [(branch: Int32, sequences: ClosedRange<Int64>)], in fold: Fold,
    _ ledger: Ledger
  ) {
    self.conflicts = conflicts
    self.cuts = cuts
    self.ledger = ledger
    self.fold = fold
    writes = conflicts.map { _ in [:] }
    for (index, conflict) in conflicts.enumerated() {
      places.insert(conflict.row, conflict.fieldIndex, Int32(index))
    }
    wanted = WantedEvents(runs)
  }

  /// The events of a cut that are held, of each branch from a sequence on.
  private static func runs(
    of cut: PastCut, _ ledger: Ledger, from first: (_ branch: Int32, _ limit: Int64) -> Int64
  ) -> [(branch: Int32, sequences: ClosedRange<Int64>)] {
    cut.limits.compactMap { branch, limit in
      let state = ledger.branches[Int(branch)]
      let start = max(first(branch, limit), state.first + (state.isMissing ? 1 : 0))
      return start <= limit ? (branch, start...limit) : nil
    }
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

  /// Reads them, and tells per conflict which of them wrote to its field in the cut.
  mutating func search(_ reread: JournalRereading) throws(EventLogError) -> [[Ledger.Point]] {
    try reread.read(wanted, ledger.index, into: &self)
    return writes.map { Array($0.keys) }
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
