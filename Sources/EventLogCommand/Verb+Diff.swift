import EventLog
import EventLogInspection

extension Verb {
  static let diff = Verb(
    name: "diff", summary: "compare two journals",
    usage: ["diff JOURNAL JOURNAL"],
    options: [
      OptionSpec("events", nil, "list the events that only one of them contains"),
      .user, .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      (
        "eventlog diff ada.jsonl stick/ada.jsonl",
        "the events that only one contains, and the fields that differ"
      ),
      (
        "eventlog diff ada.jsonl stick/ada.jsonl --events",
        "the events themselves, as replay prints them"
      ),
    ],
    notes: [
      "The order of lines does not matter: devices receive the same events in different orders."
        + "\nThe exit code is 0 if both contain the same events, and 1 if not.",
      "It changes neither journal. If one is missing events of its own device that the other"
        + "\ncontains, it writes under a new device ID from then on, so that no ID is used twice.",
      "The conflicts are those that merging would raise; \"was\" shows the value before.",
    ]
  ) { arguments, console in
    guard arguments.operands.count == 2 else {
      throw EventLogError.usage("eventlog diff compares two journals.", "diff")
    }
    guard !arguments.has("events") || !console.isJSON else {
      throw EventLogError.usage("--events and --json cannot be combined.", "diff")
    }
    if let folder = arguments.operands.first(where: Terminal.isFolder) {
      let other = arguments.operands.first { $0 != folder } ?? "JOURNAL"
      throw EventLogError.usage(
        "\"\(Visible.text(folder))\" is a folder, and eventlog diff compares two journals.", "diff",
        hint: "To see what a sync would transfer: eventlog sync \(ShellWord.path(other))"
          + " \(ShellWord.path(folder)) --plan")
    }
    let catalog = try arguments.schema(of: arguments.operands).catalog
    let journals = console.journals(arguments.operands, catalog, user: arguments["user"])
    let difference = try journals[0].difference(from: journals[1])
    let damage = [difference.damage.left, difference.damage.right]
    for (journal, damage) in zip(journals, damage) {
      console.warn(ofDamage: damage, in: journal.path)
    }
    console.warn(difference.warnings.left, of: journals[0].path)
    console.warn(difference.warnings.right, of: journals[1].path)
    for refusal in difference.refused {
      console.note(
        "Warning: \(Visible.text(refusal.reason)), so merging would skip it and all that depends"
          + " on it.")
    }
    let unknown = difference.unknownNames
    console.note(undeclared: unknown.left, in: journals[0].path)
    console.note(
      undeclared: unknown.right.filter { !unknown.left.contains($0) }, in: journals[1].path)
    for fork in difference.newForks { console.note("Note: \(fork.sentence)") }
    for (journal, side) in zip(journals, [JournalDifference.Side.left, .right]) {
      guard let notice = try journal.giveUpDeviceID(after: difference, as: side) else { continue }
      // A note about a new fork covers both journals.
      if difference.newForks.isEmpty {
        console.note("Note: \(Visible.text(journal.path)): \(notice)")
      }
    }
    let report = DifferenceReport(
      difference: difference, left: journals[0], right: journals[1], console: console)
    if console.isJSON {
      try console.print(report.json.text)
    } else if arguments.has("events") {
      try report.printEvents()
    } else {
      try report.print()
    }
    return difference.isEmpty ? .yes : .no
  }
}
