public import EventLog

/// A habit and, per day, how far it was done.
public struct Habit: Record {
  /// What the person calls the habit.
  public var name = ""
  /// The progress that completes a day.
  public var goal = 1
  /// How often it is meant to be done; every day where nothing was written.
  public var schedule = Schedule.daily
  /// What stands for it in a list, for example an emoji; nil: nothing, or what is no text.
  public var icon: String?
  /// Its colour in the app's spelling, for example `#3b6ea5`; nil: none, or what is no text.
  public var color: String?
  /// What goal and progress count, for example pages; nil: nothing, or what is no text.
  public var unit: String?
  /// What the app asks the person, for example `Did you practise?`; nil: nothing, or no text.
  public var question: String?
  /// When to remind the person of it, in the app's own form; `null`: never.
  public var reminder: JSONValue = .null
  /// The day on which the person means to begin; nil: not said, or what is no date.
  public var startDate: Day?
  /// The last day on which it is meant to be done; nil: not said, or what is no date.
  public var endDate: Day?
  /// Where it stands among the habits, the lowest first; nil: not said, or what is no number.
  public var position: Double?
  /// Whether it is put away, and neither active nor deleted.
  public var archived = false

  // The fields from `icon` to `position` take any value: what another app wrote there in another
  // form shows as absent, and stays as it is.

  /// One day of a habit.
  public struct Daily: DailyRecord {
    /// How much was done, in the habit's unit; the day is completed from the habit's goal on.
    public var progress = 0
    /// Why the day was skipped; `null`: it was not.
    public var skipped: JSONValue = .null
    /// Begins without progress, and not skipped.
    public init() {}
  }

  /// Begins with the goal 1 every day, and nothing else filled in.
  public init() {}

  /// Declares `habit`, with its days in the section `completions`.
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
