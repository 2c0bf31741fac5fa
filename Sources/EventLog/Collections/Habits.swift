extension CollectionSchema {
  /// Habits and, per day, how far each was done.
  public static let habits = CollectionSchema(
    kind: "habit", section: "habits", isSingleton: false,
    fields: [
      FieldSchema("name", .register(.text)),
      FieldSchema(
        "goal", .register(.wholeNumber(from: 1)),
        note: "progress that completes a day; 1 if absent"),
      FieldSchema("schedule", .register(.schedule), note: "times per days; 1/1 if absent"),
      FieldSchema("icon", .register(.any)),
      FieldSchema("color", .register(.any)),
      FieldSchema("unit", .register(.any)),
      FieldSchema("question", .register(.any)),
      FieldSchema("reminder", .register(.any)),
      FieldSchema("startDate", .register(.any)),
      FieldSchema("endDate", .register(.any)),
      FieldSchema("position", .register(.any)),
      FieldSchema("archived", .register(.boolean)),
    ],
    takesFurtherFields: true,
    dayFields: [
      FieldSchema("progress", .counter),
      FieldSchema("skipped", .register(.any), note: "why the day was skipped"),
    ],
    events: habitEvents + completionEvents,
    presentation: Presentation(
      isFlat: true, defaults: [.init("archived", false)],
      daySection: .init(
        section: "completions", entityMember: "habit", progressField: "progress",
        goalField: "goal", scheduleField: "schedule")))

  private static let habitEvents = [
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
  ]

  private static let completionEvents = [
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
