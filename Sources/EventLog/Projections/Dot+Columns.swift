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
  ///
  /// - Parameter orNone: whether a dot may be one of branch −1, which stands for none.
  mutating func dots(
    _ names: FoldNames, count: Int? = nil, orNone: Bool = false
  ) throws(ColumnFault) -> [Dot] {
    let branches: [Int32] = try column(count, below: names.branches.count, orNone: orNone)
    let sequences: [Int64] = try column(
      branches.count, in: (orNone ? 0 : 1)...LineLimits.sequenceMax)
    let times: [Int64] = try column(branches.count, in: Timestamp.range)
    var dots: [Dot] = []
    dots.reserveCapacity(branches.count)
    for index in branches.indices {
      guard branches[index] < 0 || names.holds(branches[index], sequences[index]) else {
        throw ColumnFault()
      }
      dots.append(Dot(branch: branches[index], sequence: sequences[index], at: times[index]))
    }
    return dots
  }

  mutating func touches(
    _ names: FoldNames, count: Int? = nil
  ) throws(ColumnFault) -> [Presences.Touch] {
    let dots = try dots(names, count: count)
    let types: [Int32] = try column(dots.count, below: names.typeCount)
    return dots.indices.map { Presences.Touch(dot: dots[$0], type: types[$0]) }
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
