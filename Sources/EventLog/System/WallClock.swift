// The time of day, which is injected, and the time that passes, which is not.

/// Where the time of day comes from.
///
/// It is shown and breaks ties; it never decides what happened before what. It may stand still,
/// jump and run backwards.
package struct WallClock: Sendable {
  private let read: @Sendable () -> Int64

  /// Makes a clock out of a function that gives milliseconds since 1970 UTC.
  ///
  /// It is called on any thread, and by several at once.
  package init(_ read: @escaping @Sendable () -> Int64) {
    self.read = read
  }

  /// Returns the time in milliseconds since 1970 UTC.
  package func now() -> Int64 {
    read()
  }

  /// The clock of the operating system.
  package static let system = WallClock { systemWallMilliseconds() }

  /// Makes a clock that stands still, for tests.
  package static func fixed(_ milliseconds: Int64) -> WallClock {
    WallClock { milliseconds }
  }
}

/// Returns milliseconds since some fixed moment; never runs backwards, says nothing of the date.
package func monotonicMilliseconds() -> Int64 {
  systemMonotonicMilliseconds()
}

/// Whether this is the thread that the program began with, on which an app draws.
func isMainThread() -> Bool { systemIsMainThread() }

/// Blocks this thread for at least so many milliseconds; not at all if there are none.
package func sleepMilliseconds(_ milliseconds: Int64) {
  systemSleep(milliseconds: milliseconds)
}
