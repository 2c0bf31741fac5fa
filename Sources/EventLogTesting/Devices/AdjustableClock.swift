// The time of day of a test.

public import EventLog
import Synchronization

/// A wall clock that starts where a test says, goes on by a step with each reading, and can be set.
///
/// Clocks of several devices share one time, which passes for all of them; each can be wrong by
/// itself, as ``set(to:)`` makes it.
public final class AdjustableClock: Sendable {
  /// The time that passes, for all clocks that share it.
  private final class Time: Sendable {
    let milliseconds: Mutex<Int64>
    let step: Int64

    init(_ start: Int64, step: Int64) {
      milliseconds = Mutex(start)
      self.step = step
    }
  }

  /// Where a clock starts unless it is told otherwise: 2026-01-28T09:00:00Z.
  public static let start = Timestamp("2026-01-28T09:00:00Z")!

  private let time: Time
  /// How many milliseconds this clock is ahead of the time.
  private let error = Mutex<Int64>(0)

  /// Starts a time of its own.
  ///
  /// - Parameters:
  ///   - start: what the first reading gives.
  ///   - step: by how much each reading moves the time; zero: it is moved by hand only.
  public init(at start: Timestamp = AdjustableClock.start, step: Duration = .seconds(1)) {
    time = Time(start.milliseconds, step: step.wholeMilliseconds)
  }

  /// Makes the clock of another device: it shows the same time until one of both is set.
  public init(sharingTimeOf other: AdjustableClock) {
    time = other.time
  }

  /// What the clock shows; looking at it moves nothing.
  public var now: Timestamp {
    Self.timestamp(time.milliseconds.withLock { $0 } + error.withLock { $0 })
  }

  /// Lets time pass, for all clocks that share it; backwards if negative.
  public func advance(by duration: Duration) {
    time.milliseconds.withLock { $0 += duration.wholeMilliseconds }
  }

  /// Sets this clock, right or wrong; the others go on as they were.
  public func set(to moment: Timestamp) {
    let now = time.milliseconds.withLock { $0 }
    error.withLock { $0 = moment.milliseconds - now }
  }

  /// The clock as ``JournalOptions`` take it: each reading moves the time by a step.
  package var wallClock: WallClock {
    WallClock { [self] in
      let reading = time.milliseconds.withLock { now in
        defer { now += time.step }
        return now
      }
      return Self.timestamp(reading + error.withLock { $0 }).milliseconds
    }
  }

  /// The nearest moment that a journal can spell.
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
