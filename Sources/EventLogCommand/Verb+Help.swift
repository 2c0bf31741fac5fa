import EventLog

extension Verb {
  static let help = Verb(
    name: "help", summary: "explain a verb", usage: ["help [VERB]"], options: [.json],
    operandsMax: 1,
    examples: [
      ("eventlog help", "the most common commands"),
      ("eventlog help append", "everything about append"),
    ]
  ) { arguments, console in
    guard let name = arguments.operands.first else {
      try Help.overview(console)
      return .yes
    }
    guard let verb = Verb.all.first(where: { $0.name == name }) else {
      let near = Suggestion.nearest(to: name, among: Verb.all.map(\.name))
      throw EventLogError(
        usage: "Unknown verb \"\(name)\".",
        hint: near.map { "Did you mean eventlog help \($0)?" } ?? "eventlog help lists the verbs.")
    }
    try Help.page(verb, console)
    return .yes
  }
}

enum Help {
  /// Prints the most common commands, in groups.
  static func overview(_ console: Console) throws {
    if console.isJSON {
      let verbs = Verb.all.map(json)
      return try console.print(JSONValue.sorted([.init(name: "verbs", value: .array(verbs))]).text)
    }
    try console.print("eventlog keeps a person's data as an append-only journal of events.")
    let groups: [(title: String, lines: [(String, String)])] = [
      (
        "Write",
        [
          (#"eventlog append ada.jsonl --user ada habit.created name=Read"#, "create a journal"),
          (#"eventlog append ada.jsonl completion.advanced Read by=1"#, "count a completion today"),
          (#"eventlog append ada.jsonl - < events.jsonl"#, "import JSON lines, all or none"),
        ]
      ),
      (
        "Read",
        [
          (#"eventlog project ada.jsonl"#, "the state, rebuilt from the events"),
          (#"eventlog conflicts ada.jsonl"#, "the conflicts, and how to resolve them"),
          (#"eventlog replay ada.jsonl --last 20"#, "the last events, in order"),
        ]
      ),
      (
        "Devices",
        [
          (#"eventlog sync ada.jsonl stick/ada.jsonl"#, "exchange missing events with a copy"),
          (#"eventlog diff ada.jsonl stick/ada.jsonl"#, "how two journals differ"),
          (#"eventlog status ada.jsonl"#, "the devices, and what they wrote"),
        ]
      ),
      (
        "Health",
        [(#"eventlog verify ada.jsonl"#, "check every line (exit 1 if damaged)")]
      ),
    ]
    let width = groups.flatMap(\.lines).map { $0.0.count }.max() ?? 0
    for group in groups {
      try console.print()
      try console.print(console.styled(group.title, .bold))
      for (command, meaning) in group.lines {
        let padding = String(repeating: " ", count: width - command.count + 2)
        try console.print("  \(command)\(padding)\(console.styled(meaning, .dim))")
      }
    }
    try console.print()
    let shown = Set(
      groups.flatMap(\.lines).compactMap { $0.0.split(separator: " ").dropFirst().first })
    let others = Verb.all.map(\.name).filter { !shown.contains(Substring($0)) && $0 != "help" }
    try console.print("Other verbs: \(others.joined(separator: ", ")).")
    try console.print("eventlog help VERB explains a verb; every verb except serve takes --json.")
    try console.print("Long work shows its progress on a terminal; --quiet hides it.")
    try console.print("eventlog --version prints the version.")
  }

  static func page(_ verb: Verb, _ console: Console) throws {
    if console.isJSON { return try console.print(json(verb).text) }
    try console.print("\(console.styled("eventlog " + verb.name, .bold)): \(verb.summary)")
    try console.print()
    try console.print("Usage")
    for line in verb.usage { try console.print("  eventlog \(line)") }
    if !verb.options.isEmpty {
      try console.print()
      try console.print("Options")
      var table = Table()
      for option in verb.options {
        table.add(["--" + option.name + (option.value.map { " " + $0 } ?? ""), option.help])
      }
      for line in table.lines(console) { try console.print(line) }
    }
    for note in verb.notes {
      try console.print()
      for line in note.split(separator: "\n") { try console.print(String(line)) }
    }
    if !verb.examples.isEmpty {
      try console.print()
      try console.print("Examples")
      for example in verb.examples {
        try console.print("  \(example.command)")
        try console.print("      \(console.styled(example.meaning, .dim))")
      }
    }
  }

  private static func json(_ verb: Verb) -> JSONValue {
    let options = verb.options.map { option in
      JSONValue.sorted([
        .init(name: "name", value: .string("--" + option.name)),
        .init(name: "value", value: option.value.map { .string($0) } ?? .null),
        .init(name: "help", value: .string(option.help)),
      ])
    }
    let examples = verb.examples.map { example in
      JSONValue.sorted([
        .init(name: "command", value: .string(example.command)),
        .init(name: "meaning", value: .string(example.meaning)),
      ])
    }
    return .sorted([
      .init(name: "name", value: .string(verb.name)),
      .init(name: "summary", value: .string(verb.summary)),
      .init(name: "usage", value: .array(verb.usage.map { .string("eventlog " + $0) })),
      .init(name: "options", value: .array(options)),
      .init(name: "notes", value: .array(verb.notes.map { .string($0) })),
      .init(name: "examples", value: .array(examples)),
    ])
  }
}
