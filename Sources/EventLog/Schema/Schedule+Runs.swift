extension Schedule {
  /// A stretch of days on each of which the schedule was kept.
  public struct Run: Sendable, Hashable {
    /// The first day of the stretch, a completed one.
    public let first: Day
    /// A completed day: what follows it and is still kept does not count yet.
    public let last: Day

    /// In days.
    public var length: Int { Int(last.number - first.number) + 1 }

    /// The day on which it was that long; nil if it never was.
    public func day(ofLength length: Int) -> Day? {
      guard (1...self.length).contains(length) else { return nil }
      return Day(number: first.number + Int32(length) - 1)
    }
  }

  /// The runs that completed days make, oldest first.
  ///
  /// The schedule is kept on a day if the last `days` days up to it hold at least `times` completed
  /// ones.
  ///
  /// - Parameter completed: sorted, no day twice.
  /// - Complexity: O(completed).
  public func runs(of completed: [Day]) -> [Run] {
    var runs: [Run] = []
    // The last day on which the newest run is still kept.
    var end: Int32 = 0
    for index in completed.indices.dropFirst(times - 1) {
      // With the day at `index`, so many are completed from `first` on.
      let first = completed[index - (times - 1)].number
      let day = completed[index]
      let reach = first + Int32(days) - 1
      if let run = runs.last, day.number <= end + 1 {
        // Kept up to yesterday at least, so today too unless the window has moved on.
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

  /// The length of the run that ends at the last completed day; 0 if the schedule was not kept on
  /// that day.
  ///
  /// - Parameter completed: sorted, no day twice.
  public func streak(of completed: [Day]) -> Int {
    guard let run = runs(of: completed).last, run.last == completed.last else { return 0 }
    return run.length
  }
}
