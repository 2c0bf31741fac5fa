/// A source for the time of day.
///
/// The time is displayed and breaks ties; it never decides the order of events. It may stop, jump
/// and run backward.
package struct WallClock: Sendable {
  private let read: @Sendable () -> Int64

  /// Creates a clock from a function that returns milliseconds since 1970 UTC.
  ///
  /// It is called on any thread, even concurrently.
  package init(_ read: @escaping @Sendable () -> Int64) {
    self.read = read
  }

  /// Returns the time in milliseconds since 1970 UTC.
  package func now() -> Int64 {
    read()
  }

  /// The clock of the operating system.
  package static let system = WallClock { systemWallMilliseconds() }

  /// Creates a clock that always returns the same time, for tests.
  package static func fixed(_ milliseconds: Int64) -> WallClock {
    WallClock { milliseconds }
  }
}

/// Returns milliseconds since an arbitrary time; never runs backward.
package func monotonicMilliseconds() -> Int64 {
  systemMonotonicMilliseconds()
}

/// Blocks this thread for at least this many milliseconds; returns at once for 0 or less.
package func sleepMilliseconds(_ milliseconds: Int64) {
  systemSleep(milliseconds: milliseconds)
}
