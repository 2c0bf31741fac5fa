/// How far one device has seen each other one.
///
/// The few devices that most people have stand in an array; more of them in a table that holds only
/// those that were seen. So a journal that names thousands costs what it names, not its square.
struct ClockRow: Sendable {
  private static let denseCount = 32
  private(set) var dense: [Int64] = []
  private(set) var sparse: [Int32: Int64] = [:]

  @inline(__always)
  subscript(device: Int) -> Int64 {
    get {
      if device < dense.count { return dense[device] }
      return device < Self.denseCount ? 0 : sparse[Int32(truncatingIfNeeded: device)] ?? 0
    }
    set {
      if device >= Self.denseCount {
        sparse[Int32(truncatingIfNeeded: device)] = newValue
        return
      }
      while dense.count <= device { dense.append(0) }
      dense[device] = newValue
    }
  }
}
