import EventLog

extension ImportMap {
  /// The names of the built-in maps.
  public static let builtInNames = ["habitbull", "loop", "settings"]

  /// Returns a built-in map, or `nil` if there is none of that name.
  ///
  /// - Parameter name: One of ``builtInNames``.
  public static func builtIn(_ name: String) -> ImportMap? {
    let text =
      switch name {
      case "habitbull": habitBullText
      case "loop": loopText
      case "settings": settingsText
      default: ""
      }
    return text.isEmpty ? nil : try? ImportMap(parsing: text.utf8, named: name)
  }

  /// The map of HabitBull's export: one file, with a row for each day of each habit.
  private static let habitBullText = #"""
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

  /// The map of Loop Habit Tracker's export: a folder with `Habits.csv`, and a folder for each
  /// habit.
  ///
  /// It covers the columns of the versions from 2017 to 2025.
  private static let loopText = #"""
    {
      "source": "loop",
      "decimal": ".",
      "ignored": ["Type", "Score", "Checkmarks.csv", "Scores.csv", "*/Scores.csv"],
      "tables": [
        {
          "files": "Habits.csv",
          "kind": "habit",
          "key": "loop-{Name}",
          "several": "each",
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
            "progress": [
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
            ],
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
            "progress": [
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
            ],
            "skipped": {"value": "skipped", "when": {"Value": ["SKIP", "3"]}}
          }
        }
      ]
    }

    """#

  /// The map of a birthday and ten settings in `UserDefaults`.
  ///
  /// Each setting has up to three keys: one per account, one for the guest, and one from before
  /// accounts existed.
  private static let settingsText = #"""
    {
      "source": "defaults",
      "ignored": ["NS*", "Apple*", "AK*", "PK*", "WebKit*", "com.apple.*"],
      "places": [
        {"name": "account", "pattern": "{key}_{user}_{email}"},
        {"name": "guest", "pattern": "Guest{key}", "user": "guest"},
        {"name": "device", "pattern": "{key}"}
      ],
      "keys": {
        "UserBirthday": {"kind": "profile", "field": "birthday"},
        "UserTheme": {
          "kind": "settings", "field": "theme", "lenient": true,
          "values": {
            "0": "system", "1": "light", "2": "dark",
            "system": "system", "light": "light", "dark": "dark"
          }
        },
        "UserLanguage": {"kind": "settings", "field": "language", "as": "text"},
        "UserUnits": {"kind": "settings", "field": "units", "as": "text"},
        "UserWeekStart": {"kind": "settings", "field": "weekStart", "as": "whole"},
        "UserTextSize": {"kind": "settings", "field": "textSize", "as": "number"},
        "UserReminders": {"kind": "settings", "field": "reminders", "as": "flag"},
        "UserReminderTime": {"kind": "settings", "field": "reminderTime", "as": "text"},
        "UserSounds": {"kind": "settings", "field": "sounds", "as": "flag"},
        "UserHaptics": {"kind": "settings", "field": "haptics", "as": "flag"},
        "UserHiddenSections": {"kind": "settings", "field": "hiddenSections", "as": "any"}
      }
    }

    """#
}
