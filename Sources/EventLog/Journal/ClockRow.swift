/// A number for each of some branches, as how far one has seen the others; 0 for all else.
///
/// The few devices that most people have stand in an array, and more of them as long as it is a
/// quarter full; others in a table that holds only those that were seen. So a journal that names
/// thousands costs what it names, not its square.
struct ClockRow: Sendable {
  private static let denseMin = 32
  private var dense: [Int64] = []
  private var sparse: [Int32: Int64] = [:]
  /// For how many branches it has a number.
  private(set) var count = 0

  @inline(__always)
  subscript(branch: Int) -> Int64 {
    get {
      if branch < dense.count { return dense[branch] }
      return sparse.isEmpty ? 0 : sparse[Int32(truncatingIfNeeded: branch)] ?? 0
    }
    set {
      if branch < dense.count {
        if dense[branch] == 0, newValue != 0 { count += 1 }
        dense[branch] = newValue
      } else {
        setBehind(branch, newValue)
      }
    }
  }

  @inline(never)
  private mutating func setBehind(_ branch: Int, _ value: Int64) {
    if value == 0 { return }
    let isNew = sparse[Int32(truncatingIfNeeded: branch)] == nil
    if isNew { count += 1 }
    if branch >= Self.denseMin, branch / 4 > count {
      sparse[Int32(truncatingIfNeeded: branch)] = value
      return
    }
    while dense.count <= branch { dense.append(0) }
    for (other, value) in sparse where Int(other) < dense.count {
      dense[Int(other)] = value
      sparse[other] = nil
    }
    dense[branch] = value
  }

  /// What is not 0, by branch.
  var entries: [(branch: Int32, sequence: Int64)] {
    let first = dense.enumerated().map { (branch: Int32($0.offset), sequence: $0.element) }
    let further = sparse.map { (branch: $0.key, sequence: $0.value) }
    return first.filter { $0.sequence > 0 } + further.sorted { $0.branch < $1.branch }
  }
}
