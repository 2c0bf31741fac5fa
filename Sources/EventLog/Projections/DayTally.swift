/// Which days of an entity are completed, and the streak they make.
package struct DayTally: Sendable, Hashable {
  /// The completed days, oldest first.
  package let completed: [Day]
  /// The run of days that ends at the last completed one, each of whose last `schedule.days` days
  /// hold at least `schedule.times` completed ones.
  package let streak: Int

  /// The tally of `entity` by the fields that its collection's day section names.
  package init(_ entity: ProjectedEntity, _ section: Presentation.DaySection) {
    let goal = Self.goal(of: entity, section)
    completed = entity.days.filter { Self.isCompleted($0, goal: goal, section) }.map(\.day)
    var schedule = Schedule.daily
    if case .string(let text)? = entity[section.scheduleField], let read = Schedule(text) {
      schedule = read
    }
    streak = schedule.streak(of: completed)
  }

  /// The goal that is shown; 1 where it has no value.
  static func goal(of entity: ProjectedEntity, _ section: Presentation.DaySection) -> Int64 {
    guard case .number(let number)? = entity[section.goalField] else { return 1 }
    return number.integer ?? 1
  }

  static func isCompleted(
    _ day: ProjectedDay, goal: Int64, _ section: Presentation.DaySection
  ) -> Bool {
    guard case .number(let number)? = day[section.progressField] else { return false }
    return (number.integer ?? 0) >= goal
  }
}
