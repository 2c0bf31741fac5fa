import EventLog

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
    wordsMax: 1,
    examples: [
      ("eventlog replay ada.jsonl --last 20", "the last 20 events"),
      ("eventlog replay ada.jsonl --type 'completion.*'", "all completions"),
      ("eventlog replay ada.jsonl --entity habit/read --clocks", "what happened to one habit"),
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
    let journal = try Journal(
      path: path, catalog: arguments.catalog(), user: arguments["user"])
    if arguments.has("follow") {
      guard cut == nil else {
        throw EventLogError.usage(
          "--follow waits for new events, but --at and --as select past ones.", "replay",
          hint: "Use one or the other.")
      }
      try await follow(journal, filter, console)
      return .yes
    }
    var printer = try EventPrinter(journal, filter, console)
    var failure: Terminal.WriteFailure?
    var hasMatch = false
    var devices: Set<DeviceID> = []
    var types: Set<String> = []
    let result = try journal.replay(at: cut) { event, line in
      devices.insert(event.id.device)
      types.insert(event.type)
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
      console.note("Note: \(filter.nothingFound(in: path, among: types))")
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
        throw .usage("--last takes a whole number, 0 or more.", "replay")
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
    return takes(event.type)
  }

  private func takes(_ name: String) -> Bool {
    guard let type else { return true }
    return type.hasSuffix("*") ? name.hasPrefix(type.dropLast()) : name == type
  }

  /// What to say where no event is shown.
  ///
  /// - Parameter types: the types of all events that were read.
  func nothingFound(in path: String, among types: Set<String>) -> String {
    guard let type, !types.contains(where: takes) else { return "No event in \(path) matches." }
    var names = types.sorted()
    if type.hasSuffix(".*") {
      names = Set(names.map { $0.prefix { $0 != "." } + ".*" }).sorted()
    }
    let near = Suggestion.nearest(to: type, among: names)
    return "No event in \(path) has the type \(type)."
      + (near.map { " Did you mean \($0)?" }
        ?? (types.isEmpty ? "" : " It contains \(names.prefix(10).joined(separator: ", "))."))
  }
}
