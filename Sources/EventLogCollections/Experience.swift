public import EventLog

/// What habits earned: experience points and awards per day, and their total.
///
/// A function of the habits and their days as they show now, and of nothing else. Nothing of it is
/// stored: it cannot drift, it is the same on every device that holds the same events, and a
/// progress that is taken back takes its points with it.
///
/// - A *completed* day of a habit, progress at least its goal, earns ``Rules/completedDay``.
/// - A *perfect* day earns ``Rules/perfectDay``: at least one habit was completed on it, and every
///   habit under way was completed, skipped for a reason, or within its schedule. A habit is under
///   way from its first completed day on; an archived one to its last. So what is noted later of an
///   earlier day may begin a habit earlier, and days between be perfect no more.
/// - A *milestone* is earned on the day on which a run of days that kept a habit's schedule reached
///   the length. A run that broke and grows again earns it again.
///
/// Habits that are deleted earn nothing: leave them out.
public struct Experience: Sendable, Hashable {
  /// The days that earned something, oldest first.
  public let days: [EarnedDay]
  /// All points.
  public let total: Int

  /// How much is earned for what.
  public struct Rules: Sendable, Hashable {
    /// The points for each habit completed on a day.
    public var completedDay = 10
    /// The points for a perfect day, besides those for its habits.
    public var perfectDay = 25
    /// From the length of a run in days, from 1, to its points.
    public var milestones = [7: 50, 30: 250, 100: 1000, 365: 5000]

    /// Begins with the usual points, which an app may change.
    public init() {}
  }

  /// What one day earned.
  public struct EarnedDay: Sendable, Hashable {
    /// The date on which it was earned.
    public let day: Day
    /// The keys of the habits completed on it, by bytes.
    public let completed: [String]
    /// Whether a habit was completed on it, and none under way fell behind its schedule.
    public let isPerfect: Bool
    /// The runs that reached a milestone on it, by key and length.
    public let milestones: [Milestone]
    /// All that the day earned, milestones included.
    public let points: Int
  }

  /// A run of days that reached a length.
  public struct Milestone: Sendable, Hashable {
    /// The habit's key.
    public let habit: String
    /// In days.
    public let length: Int
  }

  /// A habit with its days, as a snapshot shows them.
  public struct Course: Sendable {
    /// The habit's key, as in `habit/<key>`.
    public let key: String
    /// The habit's fields, of which the goal, the schedule and `archived` count.
    public let habit: Habit
    /// What was recorded of the habit, by date.
    public let days: [Day: Habit.Daily]

    /// Takes a habit and its recorded days, as a snapshot gives them.
    public init(key: String, habit: Habit, days: [Day: Habit.Daily]) {
      self.key = key
      self.habit = habit
      self.days = days
    }
  }

  /// - Parameter courses: in any order; each habit once.
  /// - Complexity: O(n log n) in the days recorded, times the habits for days that may be perfect.
  public init(_ courses: [Course], rules: Rules = Rules()) {
    let tallies = courses.map(Tally.init)
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
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

/// A course in the form that the rules ask it.
private struct Tally {
  let key: String
  /// Sorted.
  let completed: [Day]
  let runs: [Schedule.Run]
  private let skipped: Set<Day>
  private let schedule: Schedule
  private let isArchived: Bool

  init(_ course: Experience.Course) {
    key = course.key
    let goal = max(1, course.habit.goal)
    completed = course.days.filter { $0.value.progress >= goal }.keys.sorted()
    skipped = Set(course.days.filter { $0.value.skipped != .null }.keys)
    schedule = course.habit.schedule
    isArchived = course.habit.archived
    runs = schedule.runs(of: completed)
  }

  /// Whether the day was kept, skipped, or none of the habit's.
  func isFine(on day: Day) -> Bool {
    guard let first = completed.first, let last = completed.last, day >= first,
      !(isArchived && day > last), !skipped.contains(day)
    else { return true }
    // The completed days of the window that ends here.
    let from = place(of: day.number - Int32(schedule.days) + 1)
    let to = place(of: day.number + 1)
    return to - from >= schedule.times || to > 0 && completed[to - 1] == day
  }

  /// How many completed days stand before the day of that number.
  private func place(of number: Int32) -> Int {
    var low = 0
    var high = completed.count
    while low < high {
      let middle = (low + high) / 2
      if completed[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
