/// A positive number for each of some branches, and 0 for all others.
///
/// Numbers are in an array if the branches are few or at least a quarter of the array is in use.
/// Others are in a dictionary. So memory grows with the number of entries, not with the largest
/// branch number.
struct ClockRow: Sendable {
  private static let denseMin = 32
  private var dense: [Int64] = []
  private var sparse: [Int32: Int64] = [:]
  /// The number of branches with an entry.
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
        setBeyondDense(branch, newValue)
      }
    }
  }

  @inline(never)
  private mutating func setBeyondDense(_ branch: Int, _ value: Int64) {
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

  /// The entries, sorted by branch.
  var entries: [(branch: Int32, sequence: Int64)] {
    let first = dense.enumerated().map { (branch: Int32($0.offset), sequence: $0.element) }
    let others = sparse.map { (branch: $0.key, sequence: $0.value) }
    return first.filter { $0.sequence > 0 } + others.sorted { $0.branch < $1.branch }
  }
}
