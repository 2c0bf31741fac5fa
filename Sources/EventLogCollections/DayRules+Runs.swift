package import EventLog

extension DayRules {
  /// The completed days of an entity that count on some day, and the runs that they form.
  package struct Progress: Sendable {
    /// The completed days in order, including days after today.
    ///
    /// Today and later days can still exceed a limit, so they aren't completed by one.
    package let completed: [Day]
    /// The completed days up to today, in order.
    package let past: ArraySlice<Day>
    /// The runs of ``past``, oldest first.
    package let runs: [Schedule.Run]
    package let calendar: SkippedDays

    /// The length of the run that ends at the last completed day, or 0 if the schedule wasn't kept
    /// on that day.
    package var streak: Int {
      guard let run = runs.last, run.last == past.last else { return 0 }
      return run.length
    }
  }

  /// Returns the progress up to a day.
  ///
  /// - Parameter days: The days of the entity, in order.
  package func progress(of days: [Entry], today: Day) -> Progress {
    let completed = zip(days, areCompleted(days))
      .filter { $1 && !($0.day >= today && rule(on: $0.day).isLimit) }.map(\.0.day)
    let past = completed.prefix { $0 <= today }
    let skipped = Set(days.lazy.filter(\.isSkipped).map(\.day))
    let calendar = SkippedDays(skipped, completed: Array(past))
    return Progress(
      completed: completed, past: past, runs: runs(of: Array(past), calendar),
      calendar: calendar)
  }

  /// Returns the runs that result from completed days, oldest first.
  ///
  /// A day is kept if enough of the last days are completed, by the schedule of that day. A run
  /// begins and ends with a completed day, and all days between are kept.
  ///
  /// - Complexity: O(*n* log *m* + *k*), where *n* is the number of completed days, *m* that of
  ///   skipped days, and *k* that of changes.
  func runs(of completed: [Day], _ calendar: SkippedDays) -> [Schedule.Run] {
    let numbers = completed.map(calendar.number)
    /// Whether a day is kept of which `index` is the last completed day before or on it.
    func isKept(_ number: Int32, _ index: Int, _ schedule: Schedule) -> Bool {
      let first = index - (schedule.times - 1)
      return first >= 0 && numbers[first] > number - Int32(schedule.days)
    }
    var runs: [Schedule.Run] = []
    /// The index of the current run's first day, or nil if the last completed day wasn't kept.
    var start: Int?
    var change = 0
    for index in completed.indices {
      let day = completed[index]
      var isKeptSince = start != nil
      // The days before this one, by the schedule of each: its last day is the hardest to keep.
      var from = index == 0 ? day.number : completed[index - 1].number + 1
      while true {
        let end = change + 1 < changes.count ? changes[change + 1].from!.number : Int32.max
        let until = min(end, day.number)
        if isKeptSince, from < until {
          let last = calendar.number(Day(number: until)) - 1
          if last >= calendar.number(Day(number: from)) {
            isKeptSince = isKept(last, index - 1, changes[change].rule.schedule)
          }
        }
        from = max(from, until)
        if end > day.number { break }
        change += 1
      }
      guard isKept(numbers[index], index, changes[change].rule.schedule) else {
        start = nil
        continue
      }
      if let first = start, isKeptSince {
        runs[runs.count - 1] = Schedule.Run(completed[first...index])
      } else {
        start = index
        runs.append(Schedule.Run(completed[index...index]))
      }
    }
    return runs
  }
}
