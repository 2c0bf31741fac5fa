/// Pauses for the work of another thread, which is usually brief, but may wait for a disk.
package struct Backoff {
  /// The number of pauses that only yield. More would occupy a processor that the other thread may
  /// need.
  static let yieldCount = 100

  private var count = 0

  package init() {}

  package mutating func take() {
    count += 1
    if count <= Self.yieldCount { systemYield() } else { systemSleep(milliseconds: 1) }
  }
}
