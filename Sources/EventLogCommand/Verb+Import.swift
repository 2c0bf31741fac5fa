import EventLog
import EventLogImport

extension Verb {
  static let importing = Verb(
    name: "import", summary: "import the data of another app, or of an older version of yours",
    usage: [
      "import JOURNAL FILE --map MAP",
      "import JOURNAL --undo SOURCE",
      "import --map list",
      "import --print-map MAP",
    ],
    options: [
      OptionSpec(
        "map", "MAP", "a map file, or a built-in map, such as loop; list prints their names"),
      OptionSpec("source", "NAME", "the name of the source (default: the one in the map)"),
      OptionSpec("zone", "ZONE", "the zone of days and local times, for example Europe/Berlin"),
      OptionSpec("dates", "ORDER", "the order of dates: D/M, M/D or Y/M"),
      OptionSpec("locale", "LOCALE", "how numbers are written: en for 1,234.5, de for 1.234,5"),
      OptionSpec("place", "PLACE", "import only the keys of one place of the map, such as guest"),
      OptionSpec("undo", "SOURCE", "hide what was imported from a source"),
      OptionSpec("plan", nil, "only print what an import or its undo would do"),
      OptionSpec("print-map", "MAP", "print a built-in map, to adapt it"),
      OptionSpec("user", "NAME", "the journal's user; creates the journal if there is none"),
      .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      (
        "eventlog import ada.jsonl SampleLogs/Imports/Loop --map loop",
        "the CSV export of Loop Habit Tracker; of a later export, only what is new is added"
      ),
      (
        "eventlog import ada.jsonl SampleLogs/Imports/HabitBull.csv --map habitbull",
        "the CSV export of HabitBull"
      ),
      (
        "eventlog import ada.jsonl SampleLogs/Imports/App.plist --map settings --zone UTC --plan",
        "what an app's UserDefaults would add, and which keys the app may then delete"
      ),
      ("eventlog import ada.jsonl --undo habitbull --plan", "what an undo would change"),
      ("eventlog import --print-map loop", "a map to start from"),
    ],
    notes: [
      "FILE is a property list (XML or binary), JSON, JSON Lines, CSV, SQLite, or a folder of them."
        + "\nIt is only read. Only the values of the journal's user are imported.",
      "A source is a device: its values are written under a device ID of their own and merged."
        + "\nImporting again adds only what has changed in the source, also on another device."
        + "\nA value that differs from another one is a conflict that names the source.",
      "--undo appends events that bring the state to what it is without the source. What people"
        + "\nhave written since stays. It hides, and does not erase. A later import says everything"
        + "\nagain, but leaves fields that people have written, and lists them.",
      "If FILE or MAP cannot be used, nothing is written, and the exit code is 2.",
    ]
  ) { arguments, console in
    if let name = arguments["print-map"] {
      return try ImportRun.print(map: name, arguments, console)
    }
    if let source = arguments["undo"] {
      return try await ImportUndoRun(arguments, console).perform(source)
    }
    if arguments["map"] == "list", arguments.operands.isEmpty {
      return try ImportRun.printMaps(console)
    }
    return try await ImportRun(arguments, console).perform()
  }
}
