public import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The experience points and awards that a person has earned with habits.
///
/// The points are computed from the habits and their days as a snapshot shows them. They aren't
/// stored, so they are the same on every device with the same events and the same day. If progress
/// is taken back, its points are, too.
///
/// - A *completed* day of a habit meets the goal that applied on that day, as ``Habit`` describes.
///   It earns ``Rules/completedDay`` points.
/// - A *perfect* day earns ``Rules/perfectDay`` points. At least one habit was completed on it, and
///   every active habit was completed, was skipped for a reason, or is within its schedule. A habit
///   is active from its first completed day on. An archived habit is active until its last
///   completed day. A later entry for an earlier day can therefore start a habit earlier, so that
///   some days are no longer perfect.
/// - A *milestone* is earned on the first completed day on which a run of days that kept a habit's
///   schedule has a certain length. A run that breaks and grows again earns the milestone again.
///
/// Deleted habits earn nothing. Don't pass them to the initializer.
public struct Experience: Sendable, Hashable {
  /// The days that earned points, oldest first.
  public let days: [EarnedDay]
  /// The total number of points.
  public let total: Int

  /// The number of points for each achievement.
  public struct Rules: Sendable, Hashable {
    /// The points for each habit completed on a day.
    public var completedDay = 10
    /// The points for a perfect day, in addition to those for its habits.
    public var perfectDay = 25
    /// The points for each milestone, by the length of the run in days.
    ///
    /// Lengths start at 1.
    public var milestones = [7: 50, 30: 250, 100: 1000, 365: 5000]

    /// Creates the default rules.
    public init() {}
  }

  /// The points that a day earned.
  public struct EarnedDay: Sendable, Hashable {
    /// The date of the day.
    public let day: Day
    /// The keys of the habits completed on the day, sorted by bytes.
    public let completed: [String]
    /// A Boolean value that indicates whether the day is perfect.
    public let isPerfect: Bool
    /// The milestones reached on the day, sorted by key and length.
    public let milestones: [Milestone]
    /// All points that the day earned, including those for milestones.
    public let points: Int
  }

  /// A run of days that has reached a certain length.
  public struct Milestone: Sendable, Hashable {
    /// The key of the habit.
    public let habit: String
    /// The length of the run in days.
    public let length: Int
  }

  /// A habit with its days.
  public struct Course: Sendable {
    /// The key of the habit, as in `habit/<key>`.
    public let key: String
    /// The habit.
    ///
    /// Whether it is archived affects the points.
    public let habit: Habit
    /// The habit, by the first days to which its goal, target, period and schedule apply.
    public let versions: [(from: Day?, value: Habit)]
    /// The days of the habit, by date.
    public let days: [Day: Habit.Daily]

    /// Creates a course from a habit and its days, as a snapshot returns them.
    ///
    /// - Parameters:
    ///   - key: The key of the habit.
    ///   - habit: The habit.
    ///   - versions: The habit on certain days, as `Snapshot.versions(of:)` returns it. If empty,
    ///     its current goal and schedule apply to all days.
    ///   - days: The days of the habit, by date.
    public init(
      key: String, habit: Habit, versions: [(from: Day?, value: Habit)] = [],
      days: [Day: Habit.Daily]
    ) {
      self.key = key
      self.habit = habit
      self.versions = versions
      self.days = days
    }
  }

  /// Computes the points for some habits.
  ///
  /// - Parameters:
  ///   - courses: The habits with their days, in any order. Each habit occurs once.
  ///   - rules: The number of points for each achievement.
  ///   - today: The person's current day. Later days earn nothing yet.
  /// - Complexity: O(*n* log *n*), where *n* is the number of recorded days. Days that may be
  ///   perfect are checked for each habit.
  public init(_ courses: [Course], rules: Rules = Rules(), today: Day) {
    let tallies = courses.map { Tally($0, today: today) }
      .sorted { $0.key.precedes($1.key) }
    var milestones: [Day: [Milestone]] = [:]
    var completed: [Day: [String]] = [:]
    for tally in tallies {
      for day in tally.completed { completed[day, default: []].append(tally.key) }
      for run in tally.runs {
        for length in rules.milestones.keys.sorted() {
          guard let day = run.day(ofLength: length) else { continue }
          milestones[day, default: []].append(Milestone(habit: tally.key, length: length))
        }
      }
    }
    days = Set(completed.keys).union(milestones.keys).sorted().map { day in
      let keys = completed[day] ?? []
      let reached = milestones[day] ?? []
      let isPerfect = !keys.isEmpty && tallies.allSatisfy { $0.isFine(on: day) }
      let points =
        keys.count * rules.completedDay + (isPerfect ? rules.perfectDay : 0)
        + reached.map { rules.milestones[$0.length] ?? 0 }.reduce(0, +)
      return EarnedDay(
        day: day, completed: keys, isPerfect: isPerfect, milestones: reached, points: points)
    }
    total = days.map(\.points).reduce(0, +)
  }
}

/// A course in the form that the rules need.
private struct Tally {
  let key: String
  /// The completed days up to today, in order.
  let completed: [Day]
  let runs: [Schedule.Run]
  private let rules: DayRules
  private let skipped: Set<Day>
  /// The numbers of the completed days in a calendar without skipped days.
  private let numbers: [Int32]
  private let calendar: SkippedDays
  private let isArchived: Bool

  init(_ course: Experience.Course, today: Day) {
    key = course.key
    isArchived = course.habit.archived
    rules = DayRules(course)
    let days = course.days.sorted { $0.key < $1.key }.map { day, value in
      DayRules.Entry(
        day: day, value: value.progress.value.flatMap(\.amount), isSkipped: value.skipped != .null)
    }
    skipped = Set(days.filter(\.isSkipped).map(\.day))
    let progress = rules.progress(of: days, today: today)
    completed = Array(progress.past)
    (runs, calendar) = (progress.runs, progress.calendar)
    numbers = completed.map(calendar.number)
  }

  /// Whether the habit was completed, skipped, within its schedule, or not active on the day.
  func isFine(on day: Day) -> Bool {
    guard let first = completed.first, let last = completed.last, day >= first,
      !(isArchived && day > last), !skipped.contains(day)
    else { return true }
    let schedule = rules.rule(on: day).schedule
    // The completed days in the window that ends on this day.
    let number = calendar.number(day)
    let from = numbers.partitioningIndex { $0 > number - Int32(schedule.days) }
    let to = numbers.partitioningIndex { $0 > number }
    return to - from >= schedule.times || to > 0 && completed[to - 1] == day
  }
}

extension Decimal {
  fileprivate var amount: Amount? {
    if case .number(let number) = json { Amount(number) } else { nil }
  }
}

extension DayRules {
  fileprivate init(_ course: Experience.Course) {
    let versions = course.versions.isEmpty ? [(nil, course.habit)] : course.versions
    self.init(
      versions.map { from, habit in
        Change(
          from: from,
          rule: Rule(
            goal: habit.goal.amount, isLimit: habit.target == .atMost,
            period: Int64(habit.period), schedule: habit.schedule))
      })
  }
}
