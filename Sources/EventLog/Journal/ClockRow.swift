/// How far one branch has seen each other one.
///
/// The few devices that most people have stand in an array; more of them in a table that holds only
/// those that were seen. So a journal that names thousands costs what it names, not its square.
struct ClockRow: Sendable {
  private static let denseCount = 32
  private(set) var dense: [Int64] = []
  private(set) var sparse: [Int32: Int64] = [:]

  @inline(__always)
  subscript(branch: Int) -> Int64 {
    get {
      if branch < dense.count { return dense[branch] }
      return branch < Self.denseCount ? 0 : sparse[Int32(truncatingIfNeeded: branch)] ?? 0
    }
    set {
      if branch >= Self.denseCount {
        sparse[Int32(truncatingIfNeeded: branch)] = newValue
        return
      }
      while dense.count <= branch { dense.append(0) }
      dense[branch] = newValue
    }
  }
}
