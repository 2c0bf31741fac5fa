import EventLog

extension Verb {
  static let replay = Verb(
    name: "replay", summary: "the events in order",
    usage: ["replay JOURNAL"],
    options: [
      OptionSpec("device", "ID", "only events of this device"),
      OptionSpec("type", "TYPE", "only events of this type; habit.* takes all that begin so"),
      OptionSpec("entity", "ENTITY", "only events on this entity, <kind>/<key> or its key"),
      .cutAt, .cutAs, OptionSpec("last", "N", "only the last N"),
      OptionSpec("follow", nil, "go on with what is appended, by any process, until stopped"),
      OptionSpec("clocks", nil, "show what each event's writer held, by the last events of it"),
      .user, .schema,
      OptionSpec(
        "json", nil, "print the journal's own lines; with --clocks in {\"event\",\"clock\"} each"),
    ],
    wordsMax: 1,
    examples: [
      ("eventlog replay ada.jsonl --last 20", "the last 20 events"),
      ("eventlog replay ada.jsonl --type 'completion.*'", "all completions"),
      ("eventlog replay ada.jsonl --entity habit/read --clocks", "what happened to one habit"),
      ("eventlog replay ada.jsonl --json | jq .at", "the journal's own lines, for programs"),
      ("eventlog replay ada.jsonl --last 5 --follow", "the last 5 events, then each as it comes"),
    ],
    notes: [
      "A line shows when it was written, the event's ID, its type, its entity, and its data. Events"
        + "\ncome in the order of the file, but each behind all that it has seen. An ID that"
        + " names two"
        + "\nevents, because two copies wrote under it, is shown with ~ and the last eight"
        + " digits of"
        + "\nthe line.",
      "The clock of an event is what its writer held, and the event itself: of each device the last"
        + "\nevent, by its full ID.",
      "With --follow each line is written out as soon as its event is appended. Ctrl-C ends it.",
      "A file that is replaced is read from its start; no event comes twice.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "replay")
    let filter = try EventFilter(arguments)
    let cut = try arguments.cut("replay")
    let journal = try Journal(
      path: path, catalog: arguments.catalog(), user: arguments["user"])
    if arguments.has("follow") {
      guard cut == nil else {
        throw EventLogError.usage(
          "--follow waits for what comes; --at and --as look back at a part.", "replay",
          hint: "Leave one of them out.")
      }
      try await follow(journal, filter, console)
      return .yes
    }
    var printer = try EventPrinter(journal, filter, console)
    var failure: Terminal.WriteFailure?
    var hasMatch = false
    var devices: Set<DeviceID> = []
    let result = try journal.replay(at: cut) { event, line in
      devices.insert(event.id.device)
      guard filter.takes(event) else { return true }
      hasMatch = true
      do throws(Terminal.WriteFailure) { try printer.take(event, line) } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
    try printer.printLast()
    if !hasMatch {
      if let name = filter.device, !devices.contains(where: { $0.text == name }) {
        throw EventLogError.noDevice(name, among: devices.map(\.text).sorted(), of: path)
      }
      console.note("Note: No event of \(path) fits.")
    }
    console.warn(result.warnings, of: path)
    console.warn(ofDamage: result.firstDamage, of: result.damageCount, in: path)
    return .yes
  }
}

/// Which events a replay shows.
struct EventFilter: Sendable {
  let device: String?
  let type: String?
  let entity: String?
  let last: Int?
  let showsClocks: Bool

  init(_ arguments: Arguments) throws(EventLogError) {
    device = arguments["device"]
    type = arguments["type"]
    entity = arguments["entity"]
    showsClocks = arguments.has("clocks")
    if let text = arguments["last"] {
      guard let count = Int(text), count >= 0 else {
        throw .usage("--last takes a whole number from 0.", "replay")
      }
      last = count
    } else {
      last = nil
    }
  }

  func takes(_ event: Event) -> Bool {
    if let device, event.id.device.text != device { return false }
    if let entity, event.entity?.description != entity, event.entity?.key != entity {
      return false
    }
    guard let type else { return true }
    return type.hasSuffix("*") ? event.type.hasPrefix(type.dropLast()) : event.type == type
  }
}
