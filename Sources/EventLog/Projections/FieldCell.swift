/// A field of a row, in the chain of the row's fields of one mechanism.
protocol FieldCell: Sendable {
  var row: Int32 { get }
  var field: Int32 { get }
  /// The next cell of the row, or −1.
  var next: Int32 { get set }
}

/// A cell with overwritten values.
protocol OverwrittenCell: FieldCell {
  /// The newest link of its overwritten values, in ``OverwriteHistory``.
  var past: Int32 { get set }
}

extension Registers.Cell: OverwrittenCell {}
extension Counters.Cell: OverwrittenCell {}
extension MemberSets.Cell: FieldCell {}

/// The cells of a row, as their indexes and fields.
struct FieldChain<Cell: FieldCell>: Sequence, IteratorProtocol {
  private let cells: PagedArray<Cell>
  private var cursor: Int32

  fileprivate init(_ cells: PagedArray<Cell>, from first: Int32) {
    (self.cells, cursor) = (cells, first)
  }

  mutating func next() -> (index: Int, field: Int32)? {
    if cursor < 0 { return nil }
    let index = Int(cursor)
    cursor = cells[index].next
    return (index, cells[index].field)
  }
}

extension PagedArray where Element: FieldCell {
  /// The cells of a row, starting at `first`, which is −1 if the row has none.
  func chain(from first: Int32) -> FieldChain<Element> { FieldChain(self, from: first) }
}

extension Fold {
  /// The indexes and fields of a row's cells.
  package func cells(
    of row: Int32
  ) -> (
    sets: [(index: Int, field: Int32)], registers: [(index: Int, field: Int32)],
    counters: [(index: Int, field: Int32)]
  ) {
    let row = rows[Int(row)]
    return (
      Array(sets.cells.chain(from: row.firstSet)),
      Array(registers.cells.chain(from: row.firstRegister)),
      Array(counters.cells.chain(from: row.firstCounter))
    )
  }
}
