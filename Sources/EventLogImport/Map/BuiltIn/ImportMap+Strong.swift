extension ImportMap {
  /// The map of Strong's export: one file, with a row for each set of each exercise.
  ///
  /// An exercise is a habit whose progress is the number of sets of a day. A day also has its
  /// greatest weight, and the sums of repetitions, distances and seconds.
  static let strongText = #"""
    {
      "source": "strong",
      "ignored": ["Set Order", "Duration", "Workout Duration", "RPE"],
      "tables": [
        {
          "files": "{File}.csv",
          "kind": "habit",
          "key": "strong-{Exercise Name}",
          "unless": {"Set Order": ["Rest Timer", "Note"]},
          "fields": {
            "name": "Exercise Name",
            "unit": {"value": "sets"},
            "workout.{day}": {"column": "Workout Name", "undeclared": true},
            "weight.{day}": {
              "column": "Weight", "as": "number", "optional": true, "undeclared": true,
              "several": "max"
            },
            "weightUnit.{day}": {
              "column": "Weight Unit", "optional": true, "undeclared": true
            },
            "reps.{day}": {
              "column": "Reps", "as": "number", "optional": true, "undeclared": true,
              "several": "sum"
            },
            "distance.{day}": {
              "column": "Distance", "as": "number", "optional": true, "undeclared": true,
              "several": "sum"
            },
            "distanceUnit.{day}": {
              "column": "Distance Unit", "optional": true, "undeclared": true
            },
            "seconds.{day}": {
              "column": "Seconds", "as": "number", "optional": true, "undeclared": true,
              "several": "sum"
            },
            "note.{day}": {"column": "Notes", "optional": true, "undeclared": true},
            "workoutNote.{day}": {
              "column": "Workout Notes", "optional": true, "undeclared": true
            }
          },
          "day": "Date",
          "days": {"progress": {"value": 1, "as": "number", "several": "sum"}}
        }
      ]
    }

    """#
}
