import EventLog
import EventLogCollections

/// The completed days of an entity, and their streak.
struct DayTally {
  let rules: DayRules
  private let progress: DayRules.Progress

  /// Computes the tally of `entity` from the fields that `section` names.
  ///
  /// - Parameter today: The day up to which the streak counts.
  init(
    _ entity: ProjectedEntity, _ section: Presentation.DaySection, _ rules: DayRules, today: Day
  ) {
    self.rules = rules
    progress = rules.progress(of: entity.days.map { section.entry(of: $0) }, today: today)
  }

  /// The completed days, oldest first, including days after today.
  var completed: [Day] { progress.completed }
  /// The last completed day up to today, or nil if there is none.
  var lastCompleted: Day? { progress.past.last }
  /// The length in days of the run that ends at ``lastCompleted``, or 0 if the schedule wasn't kept
  /// on that day.
  var streak: Int { progress.streak }
}

extension Presentation.DaySection {
  /// The current rule of an entity, which applies on some day only if no later one does.
  func rule(of entity: ProjectedEntity) -> DayRules.Rule {
    func number(_ name: String?) -> JSONNumber? {
      if case .number(let number)? = name.flatMap({ entity[$0] }) { number } else { nil }
    }
    return DayRules.Rule(
      goal: number(goalField).flatMap { Amount($0) },
      isLimit: targetField.map { entity[$0] == "atMost" } ?? false,
      period: number(periodField)?.integer)
  }

  fileprivate func entry(of day: ProjectedDay) -> DayRules.Entry {
    var value: Amount?
    if case .number(let number)? = day[progressField] { value = Amount(number) }
    return DayRules.Entry(
      day: day.day, value: value, isSkipped: skipField.flatMap { day[$0] } != nil)
  }
}
