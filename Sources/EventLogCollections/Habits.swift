public import EventLog

/// A habit and, per day, how far it was done.
public struct Habit: Record {
  public var name = ""
  /// The progress that completes a day.
  public var goal = 1
  public var schedule = Schedule.daily
  public var icon: String?
  public var color: String?
  public var unit: String?
  public var question: String?
  public var reminder: JSONValue = .null
  public var startDate: Day?
  public var endDate: Day?
  public var position: Double?
  public var archived = false

  // The fields from `icon` to `position` take any value: what another app wrote there in another
  // form shows as absent, and stays as it is.

  /// One day of a habit.
  public struct Daily: DailyRecord {
    public var progress = 0
    /// Why the day was skipped; `null`: it was not.
    public var skipped: JSONValue = .null
    public init() {}
  }

  public init() {}

  public static let schema = Schema<Habit>(
    "habit",
    [
      .register("name", \.name),
      .register(
        "goal", \.goal, .wholeNumber(from: 1), note: "progress that completes a day; 1 if absent"),
      .register("schedule", \.schedule, note: "times per days; 1/1 if absent"),
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
        goalField: "goal", scheduleField: "schedule")))

  /// The types of version 1, as they were released.
  private static let events = [
    EventSchema(
      "habit.created", writesFields: true, lifecycle: .begins, summary: "Begins a habit."),
    EventSchema(
      "habit.edited", writesFields: true, summary: "Writes the fields that it names."),
    EventSchema(
      "habit.archived", assigns: [.init("archived", true)], summary: "Puts a habit away."),
    EventSchema(
      "habit.unarchived", assigns: [.init("archived", false)], summary: "Takes it out again."),
    EventSchema(
      "habit.deleted", lifecycle: .deletes, summary: "Hides a habit and its completions."),
    EventSchema("habit.restored", lifecycle: .restores, summary: "Brings a deleted habit back."),
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
      summary: "Says why a day was skipped; reason:=null takes the skip back."),
  ]
}

extension CollectionSchema {
  /// Habits and, per day, how far each was done.
  public static let habits = Habit.schema.collection
}
