public import EventLog

extension Schedule {
  /// A period of days on each of which a schedule was kept.
  ///
  /// Two runs are equal if they have the same completed days.
  public struct Run: Sendable, Hashable {
    /// The completed days of the run, in order.
    private let completed: ArraySlice<Day>

    init(_ completed: ArraySlice<Day>) { self.completed = completed }

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
  /// The schedule is kept on a day if at least `times` of the last
  /// `days` days, including that day, are completed. Skipped days are left out
  /// of the calendar: they are neither kept nor missed. A completed day isn't skipped.
  ///
  /// - Parameters:
  ///   - completed: The completed days, sorted and without duplicates.
  ///   - skipped: The days that a person has skipped.
  /// - Complexity: O(*n* + (*n* + *m*) log *m*), where *n* is the number of completed days and *m*
  ///   that of skipped days.
  public func runs(of completed: [Day], skipping skipped: Set<Day> = []) -> [Run] {
    let rule = DayRules.Rule(goal: nil, schedule: self)
    return DayRules([.init(from: nil, rule: rule)])
      .runs(of: completed, SkippedDays(skipped, completed: completed))
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
