public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A habit, with a record of each day's progress.
public struct Habit: Record {
  /// The name of the habit.
  public var name = ""
  /// The progress that completes a day, or that must not be exceeded.
  ///
  /// A goal to reach is more than 0: 0 counts as 1.
  public var goal: Decimal = 1
  /// Whether the goal is to be reached or not to be exceeded.
  public var target = Target.atLeast
  /// The number of days whose progress counts together, from 1 to 366.
  ///
  /// For 30 km a week, the goal is 30, the period is 7, and the schedule is `1/7`.
  public var period = 1
  /// How often to do the habit.
  ///
  /// The default is every day.
  public var schedule = Schedule.daily
  /// The habit's icon in a list, such as an emoji.
  ///
  /// `nil` if it is absent or the stored value isn't text.
  public var icon: String?
  /// The habit's color in the app's notation, such as `#3b6ea5`.
  ///
  /// `nil` if it is absent or the stored value isn't text.
  public var color: String?
  /// The unit of the goal and the progress, such as pages.
  ///
  /// `nil` if it is absent or the stored value isn't text.
  public var unit: String?
  /// A question that the app asks the person, such as `Did you practice?`.
  ///
  /// `nil` if it is absent or the stored value isn't text.
  public var question: String?
  /// The time of the reminder, in the app's own form.
  ///
  /// `null` if there is no reminder.
  public var reminder: JSONValue = .null
  /// The day on which the person intends to start.
  ///
  /// `nil` if it is absent or the stored value isn't a date.
  public var startDate: Day?
  /// The last day on which to do the habit.
  ///
  /// `nil` if it is absent or the stored value isn't a date.
  public var endDate: Day?
  /// The position among the habits, with the lowest one first.
  ///
  /// `nil` if it is absent or the stored value isn't a number.
  public var position: Double?
  /// A Boolean value that indicates whether the habit is archived: neither active nor deleted.
  public var archived = false

  // The fields from `icon` to `position` accept any value: another app's value of a different type
  // reads as absent, and isn't changed.

  // An edit of the goal, the target, the period, or the schedule applies from a day on. A habit has
  // the current values: `Snapshot.version(of:on:)` returns those of a day.

  /// The directions of a goal.
  public enum Target: String, CaseIterable, JSONConvertible {
    /// A day is completed when its progress reaches the goal.
    case atLeast
    /// A day is completed if its progress doesn't exceed the goal.
    ///
    /// Today isn't completed before it is over.
    case atMost
  }

  /// A day of a habit.
  public struct Daily: DailyRecord {
    /// The day's progress in the habit's unit.
    ///
    /// The habit's goal completes the day. A recorded 0 is a value.
    public var progress = Counter<Decimal>()
    /// The reason for skipping the day.
    ///
    /// A skipped day breaks no run, unless it is completed, which counts.
    ///
    /// `null` if the day wasn't skipped.
    public var skipped: JSONValue = .null
    /// Creates a day without progress.
    public init() {}
  }

  /// Creates a habit with the goal 1 and a daily schedule.
  public init() {}

  /// The declaration of the collection `habit`.
  ///
  /// Its days are in the section `completions`.
  public static let schema = Schema<Habit>(
    "habit",
    [
      .register("name", \.name),
      .register(
        "goal", \.goal, .amount, note: "progress that completes a day; 1 if absent", isDated: true),
      .register(
        "target", \.target,
        note: "whether to reach the goal or not to exceed it; atLeast if absent",
        isDated: true),
      .register(
        "period", \.period, .integer(1...366),
        note: "days whose progress counts together; 1 if absent", isDated: true),
      .register(
        "schedule", \.schedule, note: "times per number of days; 1/1 if absent", isDated: true),
      .register("icon", \.icon, .any), .register("color", \.color, .any),
      .register("unit", \.unit, .any),
      .register("question", \.question, .any), .register("reminder", \.reminder),
      .register("startDate", \.startDate, .any), .register("endDate", \.endDate, .any),
      .register("position", \.position, .any), .register("archived", \.archived),
    ],
    days: [
      .counter("progress", \.progress),
      .register("skipped", \.skipped, note: "why the day was skipped"),
    ],
    takesFurtherFields: true, events: events,
    presentation: Presentation(
      isFlat: true, defaults: [.init("archived", false)],
      daySection: .init(
        section: "completions", entityMember: "habit", progressField: "progress",
        goalField: "goal", scheduleField: "schedule", targetField: "target",
        periodField: "period", skipField: "skipped")))

  /// The types as released with version 1.
  private static let events = [
    EventSchema(
      "habit.created", writesFields: true, lifecycle: .begins, summary: "Creates a habit."),
    EventSchema(
      "habit.edited", writesFields: true, summary: "Writes the given fields."),
    EventSchema(
      "habit.archived", assigns: [.init("archived", true)], summary: "Archives a habit."),
    EventSchema(
      "habit.unarchived", assigns: [.init("archived", false)], summary: "Unarchives a habit."),
    EventSchema(
      "habit.deleted", lifecycle: .deletes, summary: "Deletes a habit and its completions."),
    EventSchema("habit.restored", lifecycle: .restores, summary: "Restores a deleted habit."),
    EventSchema(
      "completion.recorded",
      [MemberSchema("date", .day), MemberSchema("progress", .set(field: "progress"))],
      summary: "Sets a day's progress."),
    EventSchema(
      "completion.advanced",
      [MemberSchema("date", .day), MemberSchema("by", .advance(field: "progress"))],
      summary: "Adds to a day's progress."),
    EventSchema(
      "completion.skipped",
      [MemberSchema("date", .day), MemberSchema("reason", .write(field: "skipped"))],
      summary: "Skips a day for a reason; reason:=null undoes it."),
  ]
}

extension CollectionSchema {
  /// Habits and the progress of each day.
  public static let habits = Habit.schema.collection
}
