/// The ranks of the names under which an event writes a field, the oldest being 0.
///
/// A write replaces the writes that it has seen whose lowest rank is at most its own highest: its
/// writer's version of the app could show them.
package struct WriteRank: Sendable, Hashable, BitwiseCopyable {
  var low: UInt8
  /// ``newest`` for the field's own name.
  var high: UInt8

  static let newest = UInt8.max
  /// The rank of a field without earlier names.
  package static let only = WriteRank(low: 0, high: newest)

  init(low: UInt8, high: UInt8) { (self.low, self.high) = (low, high) }

  init(_ reader: FieldReader) {
    low = UInt8(clamping: reader.rank)
    high = reader.isNewest ? Self.newest : low
  }

  /// Whether such a write replaces one with a rank, if it has seen it.
  package func replaces(_ other: WriteRank) -> Bool { other.low <= high }
}

/// The ranks of the live values of registers with earlier names, except those of rank 0.
struct WriteRanks: Sendable {
  private struct Entry: Sendable, BitwiseCopyable {
    var cell: Int32 = 0
    var low: Int32 = 0
    var dot = Dot(branch: 0, sequence: 0, at: 0)
  }

  /// The entries of each register.
  private var lists = PagedArray<[Entry]>()
  /// The list of each register.
  private var indexes = IndexTable()

  func low(of dot: Dot, in cell: Int) -> UInt8 {
    let index = indexes.find(Int32(cell), 0)
    let entry = index < 0 ? nil : lists[Int(index)].first { $0.dot.point == dot.point }
    return entry.map { UInt8(clamping: $0.low) } ?? 0
  }

  /// Notes a write, and forgets those that are no longer live.
  mutating func note(_ dot: Dot, _ rank: WriteRank, in cell: Int, live: [Dot]) {
    var index = indexes.find(Int32(cell), 0)
    if index < 0 {
      if rank.low == 0 { return }
      index = Int32(lists.count)
      indexes.insert(Int32(cell), 0, index)
      lists.append([])
    }
    var entries = lists[Int(index)].filter { entry in
      live.contains { $0.point == entry.dot.point }
    }
    if rank.low > 0 { entries.append(Entry(cell: Int32(cell), low: Int32(rank.low), dot: dot)) }
    lists[Int(index)] = entries
  }

  mutating func forEachTable(_ visitor: inout TableVisitor, cellCount: Int) throws(ColumnFault) {
    visitor.derived(&lists)
    visitor.derived(&indexes)
    if visitor.task == .sharing { return }
    var stored = lists.elements.flatMap(\.self).sorted { $0.cell < $1.cell }
    try visitor.rows(
      &stored, Entry(),
      [Column(\.cell, below: cellCount), Column(\.low, in: 1...Int64(UInt8.max))]
        + Column.dot(\.dot))
    guard visitor.isReading else { return }
    for run in try stored.runs(by: \.cell) {
      indexes.insert(stored[run.lowerBound].cell, 0, Int32(lists.count))
      lists.append(Array(stored[run]))
    }
  }
}
