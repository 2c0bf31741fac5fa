import EventLog
import EventLogInspection

extension Verb {
  static let status = Verb(
    name: "status", summary: "print the journal's user, its devices, and what they wrote",
    usage: ["status JOURNAL", "status JOURNAL --where EVENT-ID|ENTITY"],
    options: [
      OptionSpec("where", "WHAT", "which places are known to hold an event or an entity"),
      .user, .schema, .json,
    ],
    operandsMax: 1,
    examples: [
      ("eventlog status ada.jsonl", "the devices, the places, their state, and open conflicts"),
      ("eventlog status ada.jsonl --where habit/read", "whether that habit is anywhere else"),
      ("eventlog status ada.jsonl --json | jq .frontier", "the last events, with full IDs"),
    ],
    notes: [
      "The frontier is what the next event will have seen: the last event of each device, and of"
        + "\neach history of a device that was copied.",
      "A place is a remote that this copy of the journal syncs with. Its status is that of the last"
        + "\nsync from here; no place is reached. What another device has sent there since isn't"
        + "\nknown. ENTITY is profile, settings, <kind>/<key>, or a key or name of one entity."
        + "\n--where also counts the photos and files that it names: here, at each place, nowhere.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "status")
    if let what = arguments["where"] {
      return try CoverageReport.run(what, path, arguments, console)
    }
    let status = try console.journals(
      [path], arguments.catalog(), user: arguments["user"])[0].status()
    if console.isJSON {
      try console.print(json(status))
    } else {
      try show(status, path: path, console)
    }
    console.note(undeclared: status.unknownNames, in: path)
    console.warn(status.warnings, of: path)
    if let notice = status.notice { console.note("Note: \(notice)") }
    for fork in status.forks { console.note("Note: \(fork.sentence)") }
    console.warn(ofDamage: status.firstDamage, of: status.damageCount, in: path)
    return .yes
  }

  private static func noUser(_ eventCount: Int) -> String {
    eventCount == 0 ? "none yet" : "unknown: the line that names the user is missing"
  }

  private static func show(_ status: JournalStatus, path: String, _ console: Console) throws {
    var facts = Table()
    facts.add(["user", status.user.map(Visible.text) ?? Self.noUser(status.eventCount)])
    for user in status.adoptedUsers { facts.add(["adopted", Visible.text(user)]) }
    facts.add(["writes as", status.device?.text ?? "a new device ID, from the next append on"])
    facts.add(["events", String(status.eventCount)])
    facts.add(["bytes", String(status.byteCount)])
    facts.add(["conflicts", String(status.conflictCount)])
    if !status.quarantined.isEmpty {
      facts.add(["quarantine", plural(status.quarantined.count, "file")])
    }
    for line in facts.lines(console, indent: "") { try console.print(line) }
    try RemotesReport(remotes: status.remoteStatuses, console: console).print()
    guard !status.devices.isEmpty else { return }
    try console.print()
    var table = Table(["device", "name", "events", "frontier", "last event at"])
    for device in status.devices {
      table.add([
        device.id.text, Visible.text(device.name), String(device.eventCount),
        Self.text(status.frontier[device.id]), device.last.description,
      ])
    }
    for line in table.lines(console, indent: "") { try console.print(line) }
  }

  /// Returns the sequence of a device's last event.
  ///
  /// After a fork, returns that of each history, with its chain.
  private static func text(_ tips: [FullEventID]) -> String {
    tips.map { tip in
      tips.count == 1
        ? String(tip.sequence) : String(tip.description.dropFirst(tip.device.text.count + 1))
    }.joined(separator: ", ")
  }

  private static func json(_ status: JournalStatus) -> String {
    let devices = status.devices.map { device in
      JSONValue.sorted([
        .init(name: "id", value: .string(device.id.text)),
        .init(name: "name", value: .string(device.name)),
        .init(name: "eventCount", value: .count(device.eventCount)),
        .init(name: "last", value: .string(device.last.description)),
      ])
    }
    return JSONValue.sorted([
      .init(name: "user", value: status.user.map { .string($0) } ?? .null),
      .init(name: "adopted", value: .array(status.adoptedUsers.map { .string($0) })),
      .init(name: "device", value: status.device.map { .string($0.text) } ?? .null),
      .init(name: "devices", value: .array(devices)),
      .init(name: "eventCount", value: .count(status.eventCount)),
      .init(name: "byteCount", value: .number(JSONNumber(status.byteCount))),
      .init(name: "frontier", value: .array(status.frontier.tips.map(\.json))),
      .init(name: "conflictCount", value: .count(status.conflictCount)),
      .init(name: "remotes", value: .array(status.remotes.map { .string($0) })),
      .init(name: "places", value: .array(status.remoteStatuses.map(\.json))),
      .init(name: "quarantined", value: .array(status.quarantined.map { .string($0) })),
    ]).text
  }
}
