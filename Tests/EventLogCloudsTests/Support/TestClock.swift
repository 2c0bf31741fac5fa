import Synchronization

/// A clock that only a test advances.
final class TestClock: Sendable {
  private let value: Mutex<Int64>

  init(_ milliseconds: Int64) { value = Mutex(milliseconds) }

  var now: Int64 { value.withLock { $0 } }
  func advance(seconds: Int64) { value.withLock { $0 += seconds * 1000 } }
}
