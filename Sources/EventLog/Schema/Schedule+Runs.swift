extension Schedule {
  /// A period of days on each of which a schedule was kept.
  public struct Run: Sendable, Hashable {
    /// The first day of the run, on which the task was completed.
    public let first: Day
    /// The last day of the run, on which the task was completed.
    ///
    /// Later days on which the schedule is still kept don't count until the next completed day.
    public let last: Day

    /// The number of days in the run.
    public var length: Int { Int(last.number - first.number) + 1 }

    /// Returns the day on which the run reached a length, or `nil` if it never did.
    ///
    /// - Parameter length: The number of days.
    public func day(ofLength length: Int) -> Day? {
      guard (1...self.length).contains(length) else { return nil }
      return Day(number: first.number + Int32(length) - 1)
    }
  }

  /// Returns the runs that result from completed days, oldest first.
  ///
  /// The schedule is kept on a day if at least ``times`` of the last ``days`` days, including that
  /// day, are completed.
  ///
  /// - Parameter completed: The completed days, sorted and without duplicates.
  /// - Complexity: O(*n*), where *n* is the number of completed days.
  public func runs(of completed: [Day]) -> [Run] {
    var runs: [Run] = []
    // The last day on which the schedule is kept if no other day is completed.
    var end: Int32 = 0
    for index in completed.indices.dropFirst(times - 1) {
      // `times` days are completed from `first` to the day at `index`.
      let first = completed[index - (times - 1)].number
      let day = completed[index]
      let reach = first + Int32(days) - 1
      if let run = runs.last, day.number <= end + 1 {
        // Kept until yesterday at least; kept today, too, unless both windows have ended.
        guard max(reach, end) >= day.number else { continue }
        runs[runs.count - 1] = Run(first: run.first, last: day)
        end = max(end, reach)
      } else if reach >= day.number {
        runs.append(Run(first: day, last: day))
        end = reach
      }
    }
    return runs
  }

  /// Returns the length of the run that ends at the last completed day, or 0 if the schedule wasn't
  /// kept on that day.
  ///
  /// - Parameter completed: The completed days, sorted and without duplicates.
  /// - Complexity: O(*n*), where *n* is the number of completed days.
  public func streak(of completed: [Day]) -> Int {
    guard let run = runs(of: completed).last, run.last == completed.last else { return 0 }
    return run.length
  }
}
