import EventLog
import EventLogInspection

extension Verb {
  static let why = Verb(
    name: "why", summary: "print every write of a field, and why it has its current value",
    usage: ["why JOURNAL ENTITY FIELD"],
    options: [.cutAt, .cutAs, .user, .schema, .json],
    operandsMax: 3,
    examples: [
      ("eventlog why SampleLogs/ada.jsonl habit/read goal", "who set the goal, and when"),
      ("eventlog why SampleLogs/two-devices.jsonl read name", "a name that two devices changed"),
      (
        "eventlog why SampleLogs/two-devices.jsonl habit/read@2026-03-02 progress",
        "how a day got its count"
      ),
      ("eventlog why SampleLogs/ada.jsonl profile weight --json", "for programs"),
    ],
    notes: [
      "ENTITY is profile, settings, <kind>/<key>, or a key, key prefix or name that matches exactly"
        + "\none entity. Add @YYYY-MM-DD for one of its days. The field presence shows when it was"
        + "\ncreated, deleted and restored.",
      "A write replaces those that it had seen. shown: its value is shown, or is part of the value"
        + "\nshown; contested: nothing has replaced it, but another value is shown; replaced: a"
        + "\nwrite that had seen it replaced it.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "why")
    guard arguments.operands.count == 3 else {
      throw EventLogError.usage("eventlog why needs an entity and a field.", "why")
    }
    let cut = try arguments.cut("why")
    let reading = try console.journals(
      [path], arguments.catalog(), user: arguments["user"])[0]
      .why(arguments.operands[1], arguments.operands[2], at: cut)
    console.warn(ofDamage: reading.firstDamage, of: reading.damageCount, in: path)
    console.warn(reading.warnings, of: path)
    let report = HistoryReport(
      history: reading.history, path: path, isPast: cut != nil, console: console)
    if console.isJSON { try report.printJSON() } else { try report.print() }
    return .yes
  }
}
