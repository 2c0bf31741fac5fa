/// Which days of an entity are completed, and the streak they make.
public struct DayTally: Sendable, Hashable {
  /// The completed days, oldest first.
  public let completed: [Day]
  /// The run of days that ends at the last completed one, each of whose last `schedule.days` days
  /// hold at least `schedule.times` completed ones.
  public let streak: Int

  /// The tally of `entity` by the fields that its collection's day section names.
  public init(_ entity: ProjectedEntity, _ section: Presentation.DaySection) {
    let goal = Self.goal(of: entity, section)
    completed = entity.days.filter { Self.isCompleted($0, goal: goal, section) }.map(\.day)
    var schedule = Schedule("1/1")!
    if case .string(let text)? = entity[section.scheduleField], let read = Schedule(text) {
      schedule = read
    }
    streak = Self.streak(completed.map(\.number), schedule)
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

  /// `days` is sorted and has no day twice. O(days).
  private static func streak(_ days: [Int32], _ schedule: Schedule) -> Int {
    guard let last = days.last else { return 0 }
    var length = 0
    // The completed days of the window that ends at `end` are `days[low..<high]`.
    var high = days.count
    var low = days.count
    var end = last
    while true {
      while high > 0, days[high - 1] > end { high -= 1 }
      low = min(low, high)
      while low > 0, days[low - 1] > end - Int32(schedule.days) { low -= 1 }
      if high - low < schedule.times { return length }
      length += 1
      end -= 1
    }
  }
}
