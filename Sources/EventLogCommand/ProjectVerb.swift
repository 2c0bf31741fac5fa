import EventLog

extension Verb {
  static let project = Verb(
    name: "project", summary: "the state, rebuilt from the events",
    usage: ["project JOURNAL [SECTION …]"], options: [.readAround, .json],
    examples: [
      ("eventlog project ada.jsonl", "profile, settings, habits, and what is in conflict"),
      ("eventlog project ada.jsonl completions", "every day"),
      ("eventlog project ada.jsonl --json | jq .habits", "for programs"),
    ],
    notes: [
      "Sections: \(SchemaCatalog.standard.sections.joined(separator: ", ")).",
      "A streak is the run of days up to the last completed one on which the schedule was kept:"
        + "\n3/7 asks for 3 completed days in each 7. A contested value is the latest of several"
        + "\nthat did not know of each other; the section conflicts shows them all.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "project")
    let sections = try sections(Array(arguments.words.dropFirst()))
    let read = try Journal(path: path).snapshot()
    if let damage = read.firstDamage {
      guard arguments.has("read-around") else { throw Journal.damaged(path, damage) }
      console.note("Warning: \(path):\(damage.line): damage was read around. \(damage.message)")
    }
    console.warn(read.warnings, of: path)
    if console.isJSON {
      try console.print(writing: { read.snapshot.writeJSON(sections: sections, to: $0) })
    } else {
      try StateReport(snapshot: read.snapshot, path: path, console: console).print(
        sections: sections)
    }
    return .yes
  }

  /// The sections asked for; nil: all.
  private static func sections(_ words: [String]) throws(EventLogError) -> Set<String>? {
    let catalog = SchemaCatalog.standard
    var found: Set<String> = []
    for word in words {
      if catalog.sections.contains(word) {
        found.insert(word)
      } else if let collection = catalog.collection(kind: word) {
        found.insert(collection.section)
      } else {
        throw .usage(
          "There is no section \"\(word)\".", "project",
          hint: Suggestion.nearest(to: word, among: catalog.sections).map { "Did you mean \($0)?" }
            ?? "The sections are \(catalog.sections.joined(separator: ", ")).")
      }
    }
    return words.isEmpty ? nil : found
  }
}
