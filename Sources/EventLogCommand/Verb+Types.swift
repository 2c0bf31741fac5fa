import EventLog

extension Verb {
  static let types = Verb(
    name: "types", summary: "list the event types that can be appended, and their fields",
    usage: [
      "types [JOURNAL] [TYPE | KIND]", "types [JOURNAL] [KIND] --declaration",
      "types --schema NEW.json --against OLD.json",
    ],
    options: [
      OptionSpec(
        "against", "FILE", "list the changes since FILE that make two versions misread each other"),
      OptionSpec("declaration", nil, "print collections in the format that --schema reads"),
      .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      ("eventlog types", "all types; fields in brackets are optional"),
      ("eventlog types habit.created", "the fields of one type, and the values that each takes"),
      ("eventlog types food", "the types of another built-in collection"),
      ("eventlog types food --declaration > food.json", "a declaration to start a new one from"),
      ("eventlog types --schema food.json", "the types that a file declares"),
      ("eventlog types ada.jsonl", "the types of the app that writes the journal"),
    ],
    notes: [
      "To use a collection that is not built in, declare it in a file and pass that as --schema:"
        + "\n"
        + #"{"collections":[{"kind":"plant","fields":{"name":"text","waterings":"counter"}}]}"#
        + "\nIts event types follow: plant.created, plant.edited, plant.advanced and so on.",
      "--against lists removed fields and kinds, names with another meaning, changed rules, and"
        + "\nnew event types that write old fields, with what each version doesn't show of the"
        + "\nother. The exit code is 1 if there is anything to list.",
    ]
  ) { arguments, console in
    if arguments.has("against") { return try SchemaComparison(arguments, console).print() }
    let isOfJournal = arguments.operands.first?.hasSuffix(".jsonl") ?? false
    if isOfJournal, Terminal.isMissing(arguments.operands[0]) {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(arguments.operands[0]))\".",
        hint: "Check the path.")
    }
    let schema = try arguments.schema(of: isOfJournal ? nil : [])
    let report = TypesReport(schema: schema, console: console)
    let names = arguments.operands.dropFirst(isOfJournal ? 1 : 0)
    guard names.count <= 1 else {
      throw EventLogError.usage(
        "Unexpected word \"\(Visible.text(names.last!))\".", "types",
        hint: "The path of a journal ends in .jsonl and comes first.")
    }
    let name = names.first
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
