extension ImportMap {
  /// The map of Daylio's export: one file, with a row for each entry.
  ///
  /// A day can have several entries, so the texts are kept by day and time. The progress of a day
  /// is its best mood, from 1 to 5.
  static let daylioText = #"""
    {
      "source": "daylio",
      "ignored": ["date", "weekday"],
      "tables": [
        {
          "files": "{File}.csv",
          "kind": "habit",
          "key": "daylio-mood",
          "fields": {
            "name": {"value": "Mood"},
            "mood.{full_date}.{time}": {"column": "mood", "undeclared": true},
            "activities.{full_date}.{time}": {"column": "activities", "undeclared": true},
            "scales.{full_date}.{time}": {
              "column": "scales", "optional": true, "undeclared": true
            },
            "title.{full_date}.{time}": {
              "column": "note_title", "optional": true, "undeclared": true
            },
            "note.{full_date}.{time}": {"column": "note", "undeclared": true}
          },
          "day": "full_date",
          "days": {
            "progress": {
              "column": "mood", "as": "number", "several": "max", "lenient": true,
              "values": {
                "rad": 5, "good": 4, "meh": 3, "bad": 2, "awful": 1,
                "Rad": 5, "Good": 4, "Meh": 3, "Bad": 2, "Awful": 1
              }
            }
          }
        }
      ]
    }

    """#
}
