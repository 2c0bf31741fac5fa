import EventLog

extension Verb {
  static let types = Verb(
    name: "types", summary: "the events that can be appended, and their fields",
    usage: ["types [TYPE | KIND]", "types [KIND] --declaration"],
    options: [
      OptionSpec("declaration", nil, "print collections as --schema reads them"), .schema, .json,
    ],
    wordsMax: 1,
    examples: [
      ("eventlog types", "all types; fields in brackets may be left out"),
      ("eventlog types habit.created", "the fields of one, and what each must be"),
      ("eventlog types food", "the types of a collection beyond the core"),
      ("eventlog types food --declaration > food.json", "a declaration to begin a new one from"),
      ("eventlog types --schema food.json", "the types that a file declares"),
    ],
    notes: [
      "A collection that is not built in is declared in a file, which verbs take as --schema:"
        + "\n"
        + #"{"collections":[{"kind":"plant","fields":{"name":"text","waterings":"counter"}}]}"#
        + "\nThe types of its events follow: plant.created, plant.edited, plant.advanced and so on."
    ]
  ) { arguments, console in
    let report = TypesReport(catalog: try arguments.catalog(), console: console)
    let name = arguments.words.first
    if arguments.has("declaration") {
      try report.declare(kind: name)
    } else if let name {
      try report.print(named: name)
    } else {
      try report.list()
    }
    return .yes
  }
}
