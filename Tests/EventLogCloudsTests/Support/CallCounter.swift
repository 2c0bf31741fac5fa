import Synchronization

/// A counter of calls.
final class CallCounter: Sendable {
  private let count = Mutex(0)

  /// The number of calls so far.
  var value: Int { count.withLock { $0 } }

  /// Counts a call, and returns its number.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
