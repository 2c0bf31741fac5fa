extension ImportMap {
  /// The map of HabitBull's export: one file, with a row for each day of each habit.
  static let habitBullText = #"""
    {
      "source": "habitbull",
      "tables": [
        {
          "files": "{File}.csv",
          "kind": "habit",
          "key": "habitbull-{HabitName}",
          "fields": {
            "name": "HabitName",
            "description": {"column": "HabitDescription", "undeclared": true},
            "category": {"column": "HabitCategory", "undeclared": true},
            "note.{day}": {"column": "CommentText", "undeclared": true}
          },
          "day": "CalendarDate",
          "days": {
            "progress": {"column": "Value", "lenient": true}
          }
        }
      ]
    }

    """#
}
