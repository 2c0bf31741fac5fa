/// Pauses while another thread does what this one waits for: that is over in a moment, as a rule,
/// but now and then it waits for a disk.
struct ThreadPause {
  /// So often, other threads just go first. Whoever asked for more would keep a processor busy that
  /// the other one may need.
  static let yieldCount = 100

  private var count = 0

  mutating func take() {
    count += 1
    if count <= Self.yieldCount { systemYield() } else { systemSleep(milliseconds: 1) }
  }
}
