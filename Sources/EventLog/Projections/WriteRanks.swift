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
  private struct Entry: BitwiseCopyable {
    var cell: Int32 = 0
    var low: Int32 = 0
    var write = Ledger.Point(branch: 0, sequence: 0)
  }

  /// The ranks of each register.
  private var lists = PagedArray<[Ledger.Point: UInt8]>()
  /// The list of each register.
  private var indexes = IndexTable()

  func low(of write: Ledger.Point, in cell: Int) -> UInt8 {
    let index = indexes.find(Int32(cell), 0)
    return index < 0 ? 0 : lists[Int(index)][write] ?? 0
  }

  /// Adds a write, and removes those that are no longer live.
  mutating func note(_ write: Ledger.Point, _ rank: WriteRank, in cell: Int, live: [Ledger.Point]) {
    if rank.low == 0, indexes.find(Int32(cell), 0) < 0 { return }
    let index = list(of: Int32(cell))
    let before = lists[index]
    var after: [Ledger.Point: UInt8] = [:]
    for write in live { after[write] = before[write] }
    after[write] = rank.low > 0 ? rank.low : nil
    lists[index] = after
  }

  private mutating func list(of cell: Int32) -> Int {
    let found = indexes.find(cell, 0)
    if found >= 0 { return Int(found) }
    indexes.insert(cell, 0, Int32(lists.count))
    lists.append([:])
    return lists.count - 1
  }

  mutating func forEachTable(_ visitor: inout TableVisitor, cellCount: Int) throws(ColumnFault) {
    visitor.derived(&lists)
    visitor.derived(&indexes)
    if visitor.task == .sharing { return }
    var stored: [Entry] = []
    for cell in visitor.isReading ? 0..<0 : 0..<cellCount {
      let index = indexes.find(Int32(cell), 0)
      let list = index < 0 ? [:] : lists[Int(index)]
      for write in list.keys.sorted(by: { ($0.branch, $0.sequence) < ($1.branch, $1.sequence) }) {
        stored.append(Entry(cell: Int32(cell), low: Int32(list[write]!), write: write))
      }
    }
    try visitor.rows(
      &stored, Entry(),
      [Column(\.cell, below: cellCount), Column(\.low, in: 1...Int64(UInt8.max))]
        + Column.event(\.write.branch, \.write.sequence))
    guard visitor.isReading else { return }
    for entry in stored { lists[list(of: entry.cell)][entry.write] = UInt8(clamping: entry.low) }
  }
}
