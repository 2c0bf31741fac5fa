import EventLog
import EventLogCollections

extension Verb {
  static let project = Verb(
    name: "project", summary: "the state, rebuilt from the events",
    usage: ["project JOURNAL [SECTION …]"],
    options: [
      .cutAt, .cutAs, OptionSpec("deleted", nil, "show what is deleted as well"),
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog project ada.jsonl", "profile, settings, habits, and what is in conflict"),
      ("eventlog project ada.jsonl completions", "every day"),
      (
        "eventlog project ada.jsonl habits --at 2026-02-01T00:00:00+01:00",
        "the habits as they were then"
      ),
      ("eventlog project ada.jsonl --deleted", "with what was deleted, and is still there"),
      ("eventlog project ada.jsonl --json | jq .habits", "for programs"),
    ],
    notes: [
      "Sections: \(SchemaCatalog.standard.sections.joined(separator: ", ")), which are shown if"
        + "\nnone is named, and by name, as every kind:"
        + "\n\(further.joined(separator: ", ")).",
      "A streak is the run of days up to the last completed one on which the schedule was kept:"
        + "\n3/7 asks for 3 completed days in each 7. A contested value is the latest of several"
        + "\nthat did not know of each other; the section conflicts shows them all.",
      "--at TIME takes the events written up to then, by the clocks of their devices;"
        + "\n--at EVENT-ID that event and all it had seen; --as DEVICE what the device had seen."
        + "\nTogether: what is in both. What one request wrote is never cut in two. Where an ID"
        + "\nnames two events, because two copies wrote under it, give the full one, which replay"
        + "\nshows; --as DEVICE takes what both had seen.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "project")
    let catalog = try arguments.catalog()
    let sections = try sections(Array(arguments.words.dropFirst()), of: catalog)
    let snapshot = try Verb.state(of: path, arguments, console, "project")
    if console.isJSON {
      let shown = sections ?? Set(SchemaCatalog.standard.sections)
      try console.print(writing: { snapshot.writeJSON(sections: shown, to: $0) })
    } else {
      try StateReport(
        snapshot: snapshot, path: path, options: arguments.cutWords(), console: console
      ).print(sections: sections)
    }
    return .yes
  }

  /// The sections of the further collections that come with the command.
  private static var further: [String] {
    let core = SchemaCatalog.standard.sections
    return SchemaCatalog.bundled.sections.filter { !core.contains($0) }
  }

  /// The sections asked for; nil: those of the core.
  private static func sections(
    _ words: [String], of catalog: SchemaCatalog
  ) throws(EventLogError) -> Set<String>? {
    var found: Set<String> = []
    for word in words {
      if catalog.sections.contains(word) {
        found.insert(word)
      } else if let collection = catalog.collection(kind: word) {
        found.insert(collection.section)
      } else {
        throw .usage(
          "There is no section \"\(word)\".", "project",
          hint: Suggestion.nearest(to: word, among: catalog.sections + kinds(catalog))
            .map { "Did you mean \($0)?" }
            ?? "The sections are \(catalog.sections.joined(separator: ", ")).")
      }
    }
    return words.isEmpty ? nil : found
  }

  private static func kinds(_ catalog: SchemaCatalog) -> [String] {
    catalog.collections.map(\.kind)
  }
}
