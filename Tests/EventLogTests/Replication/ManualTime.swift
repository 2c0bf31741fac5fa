import EventLog
import Synchronization

/// A clock that advances only when a test advances it.
final class ManualTime: Sendable {
  private let milliseconds = Mutex<Int64>(1_000_000)

  var now: Int64 { milliseconds.withLock { $0 } }

  func pass(seconds: Int64) { pass(milliseconds: seconds * 1000) }

  func pass(milliseconds count: Int64) { milliseconds.withLock { $0 += count } }
}
