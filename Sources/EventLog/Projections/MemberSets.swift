/// The set mechanism: a set contains a member iff some inclusion of it was seen by no exclusion.
///
/// Add wins: an observed-remove set with dots instead of unique tags (Shapiro et al., 2011;
/// Bieniusa et al., "An optimized conflict-free replicated set", 2012). The latest live inclusion
/// of each member and branch is enough: an exclusion that has seen it has seen the earlier ones.
package struct MemberSets: Sendable {
  /// One set of one row.
  package struct Cell: Sendable {
    package var row: Int32
    package var field: Int32
    /// The next set of the row, or −1.
    package var next: Int32
    /// The sequence of the latest live inclusion, by member and branch.
    var live: [Int32: [Int32: Int64]] = [:]
  }

  package internal(set) var cells = PagedArray<Cell>()
  var texts = ByteInterner()

  package init() {}

  package mutating func add(row: Int32, field: Int32, next: Int32) -> Int32 {
    cells.append(Cell(row: row, field: field, next: next))
    return Int32(cells.count - 1)
  }

  package mutating func include(_ text: String, in cell: Int32, by dot: Dot) {
    let member = Int32(texts.intern(text))
    cells.update(Int(cell)) { $0.live[member, default: [:]][dot.branch] = dot.sequence }
  }

  /// - Complexity: O(min(live inclusions of the member, clock entries of the event)).
  package mutating func exclude(
    _ text: String, from cell: Int32, by dot: Dot, _ ledger: Ledger
  ) {
    let member = Int32(texts.intern(text))
    guard let count = cells[Int(cell)].live[member]?.count else { return }
    let seen = count > 32 ? ledger.seen(by: dot.branch, among: count) : nil
    cells.update(Int(cell)) { cell in
      if let seen {
        for (branch, sequence) in seen where cell.live[member]?[branch] ?? .max <= sequence {
          cell.live[member]![branch] = nil
        }
      } else {
        for (branch, sequence) in cell.live[member] ?? [:]
        where ledger.seen(Int(branch), by: Int(dot.branch)) >= sequence {
          cell.live[member]![branch] = nil
        }
      }
      if cell.live[member]?.isEmpty ?? false { cell.live[member] = nil }
    }
  }

  /// The live inclusions of a member.
  package func inclusions(of text: String, in index: Int) -> [Dot] {
    guard let member = texts.find(text) else { return [] }
    return (cells[index].live[Int32(member)] ?? [:]).sorted { $0.key < $1.key }
      .map { Dot(branch: $0.key, sequence: $0.value, at: 0) }
  }

  /// The members of a set, sorted by their UTF-8 bytes.
  package func members(_ index: Int) -> [String] {
    cells[index].live.keys.map { Array(texts.bytes(Int($0))) }
      .sorted { $0.precedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: - Tables

extension MemberSets {
  /// A set without its members.
  private struct StoredCell {
    var row: Int32 = 0
    var field: Int32 = 0
  }

  /// A live inclusion of a member.
  private struct Inclusion {
    var set: Int32 = 0
    var member: Int32 = 0
    var branch: Int32 = 0
    var sequence: Int64 = 0
  }

  mutating func forEachTable(
    _ visitor: inout TableVisitor, rowCount: Int, fieldCount: Int
  ) throws(ColumnFault) {
    try visitor.names(&texts)
    visitor.derived(&cells)
    var stored =
      visitor.isWriting ? cells.elements.map { StoredCell(row: $0.row, field: $0.field) } : []
    try visitor.rows(
      &stored, StoredCell(), [Column(\.row, below: rowCount), Column(\.field, below: fieldCount)])
    var inclusions = visitor.isWriting ? self.inclusions : []
    let memberCount = texts.count
    try visitor.rows(
      &inclusions, Inclusion(),
      [Column(\.set, below: stored.count), Column(\.member, below: memberCount)]
        + Column.event(\.branch, \.sequence))
    guard visitor.isReading else { return }
    cells = PagedArray(flat: stored.map { Cell(row: $0.row, field: $0.field, next: -1) })
    for inclusion in inclusions {
      cells.update(Int(inclusion.set)) {
        $0.live[inclusion.member, default: [:]][inclusion.branch] = inclusion.sequence
      }
    }
  }

  private var inclusions: [Inclusion] {
    cells.indices.flatMap { set in
      cells[set].live.sorted { $0.key < $1.key }.flatMap { member, dots in
        dots.sorted { $0.key < $1.key }.map {
          Inclusion(set: Int32(set), member: member, branch: $0.key, sequence: $0.value)
        }
      }
    }
  }
}
