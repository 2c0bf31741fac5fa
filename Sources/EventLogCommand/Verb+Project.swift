import EventLog
import EventLogCollections

extension Verb {
  static let project = Verb(
    name: "project", summary: "print the state, rebuilt from the events",
    usage: ["project JOURNAL [SECTION …]"],
    options: [
      .cutAt, .cutAs, OptionSpec("deleted", nil, "also show what is deleted"), .today,
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog project ada.jsonl", "profile, settings, habits, and conflicts"),
      ("eventlog project ada.jsonl completions", "every recorded day"),
      (
        "eventlog project ada.jsonl habits --at 2026-02-01T00:00:00+01:00",
        "the habits as they were then"
      ),
      ("eventlog project ada.jsonl --deleted", "including what is deleted"),
      ("eventlog project ada.jsonl --json | jq .habits", "for programs"),
    ],
    notes: [
      "Default sections: those of the app that writes the journal, if it has saved a schema, and"
        + "\nof the core those with content; else"
        + "\n\(SchemaCatalog.standard.sections.joined(separator: ", "))."
        + "\nWith --json, also all others with content. Other sections, by name or kind:"
        + "\n\(otherSections).",
      "A value of more than \(Table.valueMax) columns is cut in a table; --json has all of it.",
      "A streak is the run of days, up to the last completed one, on which the schedule was kept:"
        + "\n3/7 means 3 completed days out of every 7. Skipped days are left out, and days after"
        + "\ntoday don't count yet. A contested value is the latest of several concurrent writes;"
        + "\nthe section conflicts shows them all.",
      "--at TIME selects the events written up to then, by their devices' clocks; --at EVENT-ID"
        + "\nselects that event and all that it had seen; --as DEVICE selects what the device had"
        + "\nseen. Together they select what is in both. A batch is never split. If two copies"
        + "\nwrote under one device ID, events can share an ID: use the full ID, which replay"
        + "\nshows. --as DEVICE then selects what either copy had seen.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "project")
    let schema = try arguments.schema()
    let givenDay = try arguments.today("project")
    let sections = try sections(Array(arguments.operands.dropFirst()), of: schema.catalog)
    let snapshot = try Verb.state(of: path, arguments, console, "project")
    if console.isJSON {
      let main = Set(schema.mainSections)
      let shown = sections ?? snapshot.nonemptySections(besides: main).union(main)
      try console.print(writing: { snapshot.writeJSON(sections: shown, to: $0) })
    } else {
      let dayStart = DayStart(snapshot)
      if let note = dayStart.note { console.note("Note: \(note)") }
      let options = try arguments.cutOptions() + (givenDay.map { " --today \($0)" } ?? "")
      try StateReport(
        snapshot: snapshot, schema: schema, path: path, options: options,
        today: givenDay ?? dayStart.today, console: console
      ).print(sections: sections)
    }
    return .yes
  }

  /// The sections of the bundled collections outside the core, on two lines.
  private static var otherSections: String {
    let core = SchemaCatalog.standard.sections
    let names = SchemaCatalog.bundled.sections.filter { !core.contains($0) }
    let lines = [names.prefix(names.count / 2), names.dropFirst(names.count / 2)]
    return lines.map { $0.joined(separator: ", ") }.joined(separator: ",\n")
  }

  /// Returns the requested sections, or nil for those of the core.
  private static func sections(
    _ names: [String], of catalog: SchemaCatalog
  ) throws(EventLogError) -> Set<String>? {
    var found: Set<String> = []
    for name in names {
      if catalog.sections.contains(name) {
        found.insert(name)
      } else if let collection = catalog.collection(kind: name) {
        found.insert(collection.section)
      } else {
        throw .usage(
          "Unknown section \"\(name)\".", "project",
          hint: Suggestion.nearest(to: name, among: catalog.sections + kinds(catalog))
            .map { "Did you mean \($0)?" }
            ?? "The sections are \(catalog.sections.joined(separator: ", "));"
            + " --schema FILE declares those of an app.")
      }
    }
    return names.isEmpty ? nil : found
  }

  private static func kinds(_ catalog: SchemaCatalog) -> [String] {
    catalog.collections.map(\.kind)
  }
}
