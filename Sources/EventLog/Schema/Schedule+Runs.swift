extension Schedule {
  /// A period of days on each of which a schedule was kept.
  ///
  /// Two runs are equal if they have the same completed days.
  public struct Run: Sendable, Hashable {
    /// The completed days of the run, in order.
    private let completed: ArraySlice<Day>

    fileprivate init(_ completed: ArraySlice<Day>) { self.completed = completed }

    /// The first day of the run, on which the task was completed.
    public var first: Day { completed[completed.startIndex] }

    /// The last day of the run, on which the task was completed.
    ///
    /// Later days on which the schedule is still kept don't count until the next completed day.
    public var last: Day { completed[completed.endIndex - 1] }

    /// The number of days from the first to the last one, including skipped days.
    public var length: Int { Int(last.number - first.number) + 1 }

    /// Returns the first completed day on which the run had reached a length, or `nil` if it never
    /// did.
    ///
    /// - Parameter length: The number of days.
    public func day(ofLength length: Int) -> Day? {
      guard (1...self.length).contains(length) else { return nil }
      let number = first.number + Int32(length) - 1
      return completed[completed.partitioningIndex { $0.number >= number }]
    }
  }

  /// Returns the runs that result from completed days, oldest first.
  ///
  /// The schedule is kept on a day if at least ``times`` of the last ``days`` days, including that
  /// day, are completed. Skipped days are left out of the calendar: they are neither kept nor
  /// missed. A completed day isn't skipped.
  ///
  /// - Parameters:
  ///   - completed: The completed days, sorted and without duplicates.
  ///   - skipped: The days that a person has skipped.
  /// - Complexity: O(*n* + (*n* + *m*) log *m*), where *n* is the number of completed days and *m*
  ///   that of skipped days.
  public func runs(of completed: [Day], skipping skipped: Set<Day> = []) -> [Run] {
    let calendar = SkippedDays(skipped, completed: completed)
    let numbers = completed.map(calendar.number)
    var runs: [Run] = []
    // The last day on which the schedule is kept if no other day is completed.
    var end: Int32 = 0
    // The index of the last run's first day.
    var start = 0
    for index in completed.indices.dropFirst(times - 1) {
      // `times` days are completed from `first` to the day at `index`.
      let first = numbers[index - (times - 1)]
      let number = numbers[index]
      let reach = first + Int32(days) - 1
      if !runs.isEmpty, number <= end + 1 {
        // Kept until yesterday at least; kept today, too, unless both windows have ended.
        guard max(reach, end) >= number else { continue }
        runs[runs.count - 1] = Run(completed[start...index])
        end = max(end, reach)
      } else if reach >= number {
        start = index
        runs.append(Run(completed[index...index]))
        end = reach
      }
    }
    return runs
  }

  /// Returns the length of the run that ends at the last completed day, or 0 if the schedule wasn't
  /// kept on that day.
  ///
  /// - Parameters:
  ///   - completed: The completed days, sorted and without duplicates.
  ///   - skipped: The days that a person has skipped.
  /// - Complexity: O(*n* + (*n* + *m*) log *m*), where *n* is the number of completed days and *m*
  ///   that of skipped days.
  public func streak(of completed: [Day], skipping skipped: Set<Day> = []) -> Int {
    guard let run = runs(of: completed, skipping: skipped).last, run.last == completed.last else {
      return 0
    }
    return run.length
  }
}
