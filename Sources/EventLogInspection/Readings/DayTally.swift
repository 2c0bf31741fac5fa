package import EventLog

/// The completed days of an entity, and their streak.
package struct DayTally: Sendable, Hashable {
  /// The completed days, oldest first, including days after today.
  package let completed: [Day]
  /// The last completed day up to today, or nil if there is none.
  package let lastCompleted: Day?
  /// The length in days of the run that ends at ``lastCompleted``, or 0 if the schedule wasn't
  /// kept on that day.
  package let streak: Int

  /// Computes the tally of `entity` from the fields that `section` names.
  ///
  /// - Parameter today: The day up to which the streak counts.
  package init(_ entity: ProjectedEntity, _ section: Presentation.DaySection, today: Day) {
    let goal = Self.goal(of: entity, section)
    completed = entity.days.filter { Self.isCompleted($0, goal: goal, section) }.map(\.day)
    var schedule = Schedule.daily
    if case .string(let text)? = entity[section.scheduleField], let read = Schedule(text) {
      schedule = read
    }
    let skipped = entity.days.filter { day in
      section.skipField.flatMap { day[$0] } ?? .null != .null
    }
    let past = completed.filter { $0 <= today }
    lastCompleted = past.last
    streak = schedule.streak(of: past, skipping: Set(skipped.map(\.day)))
  }

  /// The goal that is shown, or 1 if it has no value.
  static func goal(of entity: ProjectedEntity, _ section: Presentation.DaySection) -> Amount {
    guard case .number(let number)? = entity[section.goalField] else { return .one }
    return Amount(number) ?? .one
  }

  static func isCompleted(
    _ day: ProjectedDay, goal: Amount, _ section: Presentation.DaySection
  ) -> Bool {
    guard case .number(let number)? = day[section.progressField],
      let progress = Amount(number)
    else { return false }
    return progress >= goal
  }
}
