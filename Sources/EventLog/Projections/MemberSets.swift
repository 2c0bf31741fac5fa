/// The set mechanism: a member is in iff some inclusion of it was seen by no exclusion of it.
///
/// Add wins: an observed-remove set with dots instead of unique tags (Shapiro et al., 2011;
/// Bieniusa et al., "An optimized conflict-free replicated set", 2012). Per member and device the
/// latest live inclusion is enough: an exclusion that has seen it has seen the earlier ones.
package struct MemberSets: Sendable {
  /// One set of one row.
  package struct Cell: Sendable {
    package var field: Int32
    /// The next set of the row, or −1.
    package var next: Int32
    /// Per member the sequence of each branch's latest live inclusion.
    var live: [Int32: [Int32: Int64]] = [:]
  }

  package internal(set) var cells = PagedArray<Cell>()
  var texts = ByteInterner()

  package init() {}

  /// Lets copies share what neither changes.
  package mutating func paginate() {
    cells.paginate()
    texts.paginate()
  }

  package mutating func add(field: Int32, next: Int32) -> Int32 {
    cells.append(Cell(field: field, next: next))
    return Int32(cells.count - 1)
  }

  package mutating func include(_ text: String, in cell: Int32, by dot: Dot) {
    let member = Int32(texts.intern(text))
    cells.update(Int(cell)) { $0.live[member, default: [:]][dot.branch] = dot.sequence }
  }

  /// - Complexity: O(min(live inclusions of the member, what the event has seen)).
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
  func inclusions(of text: String, in index: Int) -> [Dot] {
    guard let member = texts.find(text) else { return [] }
    return (cells[index].live[Int32(member)] ?? [:]).sorted { $0.key < $1.key }
      .map { Dot(branch: $0.key, sequence: $0.value, at: 0) }
  }

  /// The members that are in, sorted by their UTF-8 bytes.
  package func members(_ index: Int) -> [String] {
    cells[index].live.keys.map { Array(texts.bytes(Int($0))) }
      .sorted { $0.precedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
