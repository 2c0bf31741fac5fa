extension ColumnEncoder {
  mutating func write(dots: [Dot]) {
    write(column: dots.map(\.branch))
    write(column: dots.map(\.sequence))
    write(column: dots.map(\.at))
  }

  mutating func write(touches: [Presences.Touch]) {
    write(dots: touches.map(\.dot))
    write(column: touches.map(\.type))
  }
}

extension ColumnDecoder {
  /// Dots of events that there are.
  mutating func dots(_ names: FoldNames) throws(ColumnFault) -> [Dot] {
    var packed = try packedDots(names)
    return try packed.take(packed.count)
  }

  /// Dots of events that there are, to be read one by one.
  ///
  /// - Parameter orNone: whether a dot may be one of branch −1, which stands for none.
  mutating func packedDots(
    _ names: FoldNames, orNone: Bool = false
  ) throws(ColumnFault) -> PackedDots {
    let branches: PackedColumn<Int32> = try packed(below: names.branches.count, orNone: orNone)
    return PackedDots(
      names: names, branches: branches,
      sequences: try packed(branches.count, in: (orNone ? 0 : 1)...LineLimits.sequenceMax),
      times: try packed(branches.count, in: Timestamp.range))
  }

  mutating func touches(_ names: FoldNames) throws(ColumnFault) -> [Presences.Touch] {
    var dots = try packedDots(names)
    var types: PackedColumn<Int32> = try packed(dots.count, below: names.typeCount)
    var touches: [Presences.Touch] = []
    touches.reserveCapacity(dots.count)
    for _ in 0..<dots.count {
      touches.append(Presences.Touch(dot: try dots.take(), type: types.take()))
    }
    return touches
  }
}

/// Columns of dots, to be read one by one.
struct PackedDots {
  let names: FoldNames
  fileprivate(set) var branches: PackedColumn<Int32>
  fileprivate(set) var sequences: PackedColumn<Int64>
  fileprivate(set) var times: PackedColumn<Int64>

  var count: Int { branches.count }

  /// The next dot, of which there must be one.
  ///
  /// - Throws: `ColumnFault` if there is no such event.
  @inline(__always)
  mutating func take() throws(ColumnFault) -> Dot {
    let dot = Dot(branch: branches.take(), sequence: sequences.take(), at: times.take())
    guard dot.branch < 0 || names.holds(dot.branch, dot.sequence) else { throw ColumnFault() }
    return dot
  }

  /// The next dots, of which there must be so many.
  mutating func take(_ count: Int) throws(ColumnFault) -> [Dot] {
    var dots: [Dot] = []
    dots.reserveCapacity(count)
    for _ in 0..<count { dots.append(try take()) }
    return dots
  }
}

/// How many names there are of each sort: what numbers of them must stay below; and which events.
struct FoldNames {
  /// The events of each branch of the ledger.
  var branches: [ClosedRange<Int64>]
  var typeCount = 0
  var fieldCount = 0

  /// Whether there is an event of that branch and sequence.
  func holds(_ branch: Int32, _ sequence: Int64) -> Bool {
    branches[Int(branch)].contains(sequence)
  }
}

extension Ledger {
  /// The sequences of each branch's events, missing ones included.
  package var sequences: [ClosedRange<Int64>] { branches.map { $0.first...$0.last } }
}

/// Per row of a fold its first cell of one mechanism, while cells are chained anew.
///
/// Cells are put before those that their row had, so that their order is all there is to a chain:
/// none is written down, and none can be wrong.
struct RowHeads {
  private(set) var first: [Int32]

  init(rowCount: Int) { first = [Int32](repeating: -1, count: rowCount) }

  /// Puts a cell before the others of its row and returns which one comes next.
  mutating func add(_ cell: Int, row: Int32) -> Int32 {
    defer { first[Int(row)] = Int32(cell) }
    return first[Int(row)]
  }
}
