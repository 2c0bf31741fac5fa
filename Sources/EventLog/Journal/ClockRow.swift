/// A number above 0 for each of some branches, such as how far each was seen; 0 for all others.
///
/// Numbers stand in an array as long as the branches are few, or a quarter of the array is in use;
/// the rest stand in a table. So a journal that names thousands costs what it names, and not its
/// square.
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
      assert(newValue > 0)
      if branch < dense.count {
        if dense[branch] == 0 { count += 1 }
        dense[branch] = newValue
      } else {
        setBehind(branch, newValue)
      }
    }
  }

  @inline(never)
  private mutating func setBehind(_ branch: Int, _ value: Int64) {
    if sparse[Int32(truncatingIfNeeded: branch)] == nil { count += 1 }
    if branch >= Self.denseMin, branch / 4 > count {
      sparse[Int32(truncatingIfNeeded: branch)] = value
      return
    }
    while dense.count <= branch {
      let other = Int32(truncatingIfNeeded: dense.count)
      dense.append(sparse.isEmpty ? 0 : sparse.removeValue(forKey: other) ?? 0)
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
