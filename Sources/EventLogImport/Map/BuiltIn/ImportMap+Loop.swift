extension ImportMap {
  /// The meaning of the values of Loop's days.
  private static let loopProgress = #"""
    [
              {
                "column": "Value", "as": "number", "divide": 1000,
                "when": {"Type": "NUMERICAL"},
                "values": {"SKIP": null, "UNKNOWN": null, "3": null, "-1": null}
              },
              {
                "column": "Value",
                "values": {
                  "YES_MANUAL": 1, "YES_AUTO": null, "NO": 0, "SKIP": null, "UNKNOWN": null,
                  "2": 1, "1": null, "0": null, "3": null, "-1": null
                }
              }
            ]
    """#

  /// The map of Loop Habit Tracker's export: a folder with `Habits.csv`, and a folder for each
  /// habit.
  ///
  /// It covers the columns of the versions from 2017 to 2025.
  static let loopText = #"""
    {
      "source": "loop",
      "decimal": ".",
      "ignored": ["Type", "Score", "Checkmarks.csv", "Scores.csv", "*/Scores.csv"],
      "tables": [
        {
          "files": "Habits.csv",
          "kind": "habit",
          "key": "loop-{Name}",
          "twins": ["schedule", "color", "{day}"],
          "fields": {
            "name": "Name",
            "position": {"column": "Position", "as": "whole"},
            "question": "Question",
            "description": {"column": "Description", "undeclared": true},
            "color": "Color",
            "schedule": [
              {"text": "{FrequencyNumerator}/{FrequencyDenominator}", "lenient": true},
              {"text": "{NumRepetitions}/{Interval}", "lenient": true}
            ],
            "unit": {"column": "Unit", "optional": true},
            "target": {
              "column": "Target Type", "optional": true, "lenient": true,
              "values": {"AT_LEAST": null, "AT_MOST": "atMost"}, "when": {"Type": "NUMERICAL"}
            },
            "goal": {
              "column": "Target Value", "optional": true, "as": "number", "lenient": true,
              "when": {"Type": "NUMERICAL"}
            },
            "archived": {
              "column": "Archived?", "optional": true, "as": "flag", "initial": false
            }
          }
        },
        {
          "files": ["{Position} {Folder}/Checkmarks.csv", "{Position}/Checkmarks.csv"],
          "columns": ["Date", "Value", "Notes"],
          "join": {"file": "Habits.csv", "on": "Position"},
          "kind": "habit",
          "key": "loop-{Name}",
          "fields": {
            "note.{day}": {"column": "Notes", "optional": true, "undeclared": true}
          },
          "day": "Date",
          "days": {
            "progress": \#(loopProgress),
            "skipped": {
              "column": "Notes", "optional": true, "when": {"Value": ["SKIP", "3"]},
              "otherwise": "skipped"
            }
          }
        },
        {
          "files": "Checkmarks.csv",
          "fallback": true,
          "wide": {"name": "Name", "value": "Value", "keep": "Date"},
          "join": {"file": "Habits.csv", "on": "Name"},
          "kind": "habit",
          "key": "loop-{Name}",
          "day": "Date",
          "days": {
            "progress": \#(loopProgress),
            "skipped": {"value": "skipped", "when": {"Value": ["SKIP", "3"]}}
          }
        }
      ]
    }

    """#
}
