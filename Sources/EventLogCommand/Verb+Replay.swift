import EventLog
import EventLogInspection

extension Verb {
  static let replay = Verb(
    name: "replay", summary: "print the events in order",
    usage: ["replay JOURNAL"],
    options: [
      OptionSpec("device", "ID", "only events of this device"),
      OptionSpec(
        "type", "TYPE", "only events of this type; habit.* matches all that begin with habit."),
      OptionSpec("entity", "ENTITY", "only events of this entity, <kind>/<key> or its key"),
      .cutAt, .cutAs, OptionSpec("last", "N", "only the last N events"),
      OptionSpec("follow", nil, "keep printing what any process appends, until stopped"),
      OptionSpec(
        "clocks", nil, "show what each event's writer had seen: the last event of each device"),
      .user, .schema,
      OptionSpec(
        "json", nil, "print the journal's own lines; with --clocks as {\"event\",\"clock\"}"),
    ],
    operandsMax: 1,
    examples: [
      ("eventlog replay ada.jsonl --last 20", "the last 20 events"),
      ("eventlog replay ada.jsonl --type 'completion.*'", "all completions"),
      (
        "eventlog replay SampleLogs/ada.jsonl --entity habit/read --clocks",
        "what happened to one habit"
      ),
      ("eventlog replay ada.jsonl --json | jq .at", "the journal's own lines, for programs"),
      ("eventlog replay ada.jsonl --last 5 --follow", "the last 5 events, then each new one"),
    ],
    notes: [
      "Each line shows an event's time, ID, type, entity and data. Events come in the order of the"
        + "\nfile, but each one after all that it has seen. If two events share an ID, because two"
        + "\ncopies wrote under one device ID, the ID is followed by ~ and the last eight digits of"
        + "\nthe event's line.",
      "An event's clock shows what its writer had seen, and the event itself: the full ID of the"
        + "\nlast event of each device.",
      "With --follow, each event is printed as soon as it is appended. Ctrl-C stops it."
        + "\nIf the file is replaced, it is read from its start; no event is printed twice.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "replay")
    let filter = try EventFilter(arguments)
    let cut = try arguments.cut("replay")
    if arguments.has("follow") {
      let journal = try Journal(
        path: path, catalog: arguments.catalog(), user: arguments["user"])
      guard cut == nil else {
        throw EventLogError.usage(
          "--follow waits for new events, but --at and --as select past ones.", "replay",
          hint: "Use one or the other.")
      }
      try await follow(journal, filter, console)
      return .yes
    }
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    var printer = EventPrinter(journal, filter, console)
    let result = try journal.replay(at: cut, into: &printer)
    printer.printLast()
    if let failure = printer.failure { throw failure }
    if let seen = printer.seen {
      if let name = filter.device, !seen.devices.contains(name) {
        throw EventLogError.noDevice(name, among: seen.devices.sorted(), of: path)
      }
      try filter.checkEntity(in: path, among: seen.entities) {
        try? journal.coverage(of: $0).name
      }
      console.note("Note: \(filter.noMatchNote(in: path, among: seen.types))")
    }
    console.warn(result.warnings, of: path)
    console.warn(ofDamage: result.firstDamage, of: result.damageCount, in: path)
    return .yes
  }
}
