extension ImportMap {
  /// The map of Habitica's user data: habits and dailies, each with its history.
  ///
  /// The progress of a habit is how often it was scored up on a day; that of a daily is 1 or 0.
  static let habiticaText = #"""
    {
      "source": "habitica",
      "ignored": "*",
      "tables": [
        {
          "rows": "tasks.habits",
          "kind": "habit",
          "key": "habitica-{id}",
          "fields": {"name": "text", "description": {"column": "notes", "undeclared": true}}
        },
        {
          "rows": "tasks.habits.history",
          "kind": "habit",
          "key": "habitica-{id}",
          "day": {"column": "date", "epoch": "unixMilliseconds"},
          "days": {
            "progress": {
              "column": "scoredUp", "as": "number", "optional": true, "several": "sum"
            }
          }
        },
        {
          "rows": "tasks.dailys",
          "kind": "habit",
          "key": "habitica-{id}",
          "fields": {"name": "text", "description": {"column": "notes", "undeclared": true}}
        },
        {
          "rows": "tasks.dailys.history",
          "kind": "habit",
          "key": "habitica-{id}",
          "day": {"column": "date", "epoch": "unixMilliseconds"},
          "days": {
            "progress": {
              "column": "completed", "optional": true, "several": "max",
              "values": {"true": 1, "false": 0}
            }
          }
        }
      ]
    }

    """#
}
