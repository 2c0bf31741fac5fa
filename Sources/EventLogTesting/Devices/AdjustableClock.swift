public import EventLog
import Synchronization

/// A clock that advances by a step with each reading, and that a test can set.
///
/// Clocks that share a time advance together. To make a single clock wrong, use ``set(to:)``.
public final class AdjustableClock: Sendable {
  /// The time of all clocks that share it.
  private final class Time: Sendable {
    let milliseconds: Mutex<Int64>
    let step: Int64

    init(_ start: Int64, step: Int64) {
      milliseconds = Mutex(start)
      self.step = step
    }
  }

  /// The default start: 2026-01-28T09:00:00Z.
  public static let start = Timestamp("2026-01-28T09:00:00Z")!

  private let time: Time
  /// The difference between this clock and the shared time, in milliseconds.
  private let error = Mutex<Int64>(0)

  /// Creates a clock with its own time.
  ///
  /// - Parameters:
  ///   - start: The time of the first reading.
  ///   - step: The duration by which each reading advances the time. If zero, the time advances
  ///     only when you call ``advance(by:)``.
  public init(at start: Timestamp = AdjustableClock.start, step: Duration = .seconds(1)) {
    time = Time(start.milliseconds, step: step.wholeMilliseconds)
  }

  /// Creates a clock that shares the time of another one, such as for another device.
  ///
  /// - Parameter other: The other clock.
  public init(sharingTimeOf other: AdjustableClock) {
    time = other.time
  }

  /// The current time of the clock.
  ///
  /// Reading this property doesn't advance the time.
  public var now: Timestamp {
    Self.timestamp(time.milliseconds.withLock { $0 } + error.withLock { $0 })
  }

  /// Advances the time of all clocks that share it.
  ///
  /// - Parameter duration: The duration. If it is negative, the time goes back.
  public func advance(by duration: Duration) {
    time.milliseconds.withLock { $0 += duration.wholeMilliseconds }
  }

  /// Sets this clock only.
  ///
  /// Other clocks that share its time don't change.
  ///
  /// - Parameter moment: The new time.
  public func set(to moment: Timestamp) {
    let now = time.milliseconds.withLock { $0 }
    error.withLock { $0 = moment.milliseconds - now }
  }

  /// The clock for `JournalOptions`. Each reading advances the time by a step.
  package var wallClock: WallClock {
    WallClock { [self] in
      let reading = time.milliseconds.withLock { now in
        defer { now += time.step }
        return now
      }
      return Self.timestamp(reading + error.withLock { $0 }).milliseconds
    }
  }

  /// Returns the nearest time that a journal can represent.
  private static func timestamp(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds)
      ?? Timestamp(milliseconds < 0 ? "0000-01-01T00:00:00Z" : "9999-12-31T23:59:59.999Z")!
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
