/// The rules by which the days of an entity are completed, and the days from which they apply.
///
/// The JSON, streaks, experience and awards all use ``areCompleted(_:)``.
package struct DayRules: Sendable, Hashable {
  /// The goal and the schedule of a day.
  package struct Rule: Sendable, Hashable {
    /// The value to reach, or the greatest one allowed.
    package let goal: Amount
    /// Whether the goal is a limit.
    package let isLimit: Bool
    /// The number of days whose values count together.
    package let period: Int
    package let schedule: Schedule

    /// - Parameters:
    ///   - goal: The goal, or nil for 1. A goal of 0 is a limit, or else the same as none.
    ///   - period: The period, or nil for 1.
    package init(
      goal: Amount?, isLimit: Bool = false, period: Int64? = nil, schedule: Schedule? = nil
    ) {
      let goal = goal ?? .one
      self.goal = isLimit || goal > .zero ? goal : .one
      self.isLimit = isLimit
      self.period = Int(min(max(period ?? 1, 1), 366))
      self.schedule = schedule ?? .daily
    }
  }

  /// A day for which something was written.
  package struct Entry: Sendable {
    package var day: Day
    /// The day's value, or nil if it has none.
    package var value: Amount?
    package var isSkipped: Bool

    package init(day: Day, value: Amount?, isSkipped: Bool) {
      (self.day, self.value, self.isSkipped) = (day, value, isSkipped)
    }
  }

  /// A rule, and the first day to which it applies, or nil for the beginning.
  package struct Change: Sendable, Hashable {
    package var from: Day?
    package var rule: Rule

    package init(from: Day?, rule: Rule) { (self.from, self.rule) = (from, rule) }
  }

  /// The rules, sorted by their days. The first one applies from the beginning.
  package let changes: [Change]

  /// - Parameter changes: The rules, sorted by their days.
  package init(_ changes: [Change]) {
    self.changes =
      changes.first?.from == nil && !changes.isEmpty
      ? changes : [Change(from: nil, rule: Rule(goal: nil))] + changes
  }

  /// The rule of a day.
  package func rule(on day: Day) -> Rule {
    changes[changes.partitioningIndex { $0.from.map { $0 > day } ?? false } - 1].rule
  }

  /// Returns whether each of an entity's days is completed.
  ///
  /// Skipped days are left out of the calendar, unless they are completed. A day without a value
  /// isn't completed. For any other, the values of its last `period` days are added up. That sum is
  /// within a limit, or it reaches the goal without the days up to the last completed one.
  ///
  /// - Parameter days: The days, in order.
  /// - Complexity: O(*n* log *n*)
  package func areCompleted(_ days: [Entry]) -> [Bool] {
    var completed: [Bool] = []
    completed.reserveCapacity(days.count)
    var sums = changes.contains { $0.rule.period > 1 } ? PeriodSums() : nil
    var next = 1
    for day in days {
      while next < changes.count, changes[next].from! <= day.day { next += 1 }
      let rule = changes[next - 1].rule
      if sums != nil {
        completed.append(sums!.complete(day, rule))
      } else {
        completed.append(
          day.value.map { rule.isLimit ? $0 <= rule.goal : $0 >= rule.goal } ?? false)
      }
    }
    return completed
  }
}

/// The sums of the values of an entity's days, in a calendar without skipped days.
private struct PeriodSums {
  /// The days with a value, by their numbers in the calendar, and the sum of all values up to each.
  private var days: [(number: Int32, sum: Amount)] = []
  /// The number of skipped days so far.
  private var skippedCount: Int32 = 0
  /// The index of the first day after the last completed one.
  private var firstOpen = 0

  /// Adds the next day, and returns whether it is completed.
  mutating func complete(_ day: DayRules.Entry, _ rule: DayRules.Rule) -> Bool {
    guard let value = day.value else {
      if day.isSkipped { skippedCount += 1 }
      return false
    }
    let number = day.day.number - skippedCount
    let sum = (days.last?.sum ?? .zero) + value
    var first = days.partitioningIndex { $0.number > number - Int32(rule.period) }
    if !rule.isLimit { first = max(first, firstOpen) }
    let ofPeriod = first == 0 ? sum : sum - days[first - 1].sum
    let isCompleted = rule.isLimit ? ofPeriod <= rule.goal : ofPeriod >= rule.goal
    if day.isSkipped, !isCompleted {
      skippedCount += 1
      return false
    }
    days.append((number, sum))
    if isCompleted { firstOpen = days.count }
    return isCompleted
  }
}
