import EventLog
import EventLogImport

/// The output of `eventlog import`.
struct ImportOutput {
  /// The maximum number of lines printed per list; `--json` lists everything.
  private static let linesMax = 20

  let path: String
  let file: String
  let report: ImportReport
  let catalog: SchemaCatalog
  let console: Console

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    for notice in report.sync.notices { console.note("Note: \(notice)") }
    try printEvents()
    try list(report.findings, titled: "How the source was read")
    try list(
      report.remarks, titled: "Not taken as it stands: \(plural(report.remarks.count, "value"))")
    try list(
      report.unknown,
      titled: "Not in the map, and not imported: \(plural(report.unknown.count, "name"))")
    for (user, count) in report.otherUsers { try printOther(user, count) }
    try printDeleted()
    try printConflicts()
    try list(report.removableKeys, titled: keysTitle)
  }

  private func printEvents() throws {
    let names = "\(Visible.text(path)) and \(Visible.text(file))"
    if report.eventCount == 0 {
      return try console.print("\(names): nothing new; \(plural(report.valueCount, "value")) read.")
    }
    try console.print("\(names): \(plural(report.valueCount, "value")) read")
    var table = Table()
    for source in report.sources {
      let verb = report.isDryRun ? "would add" : "added"
      table.add([
        source.eventCount == 0 ? "nothing new" : verb,
        source.eventCount == 0 ? "" : plural(source.eventCount, "event"), source.device.text,
      ])
    }
    for line in table.lines(console) { try console.print(line) }
  }

  private func printOther(_ user: String?, _ count: Int) throws {
    let values = plural(count, "value")
    guard let user else {
      let place = report.guestPlace.map(ShellWord.quoted) ?? ""
      return try console.print(
        "\(values) of a guest: import the file into the guest's journal. With --place \(place),"
          + " that import takes nothing else.")
    }
    let name = Visible.text(user)
    try console.print(
      "\(values) of the user \(name): import the file into the journal of \(name).")
  }

  private func printDeleted() throws {
    try list(
      report.deleted.map { "\($0.id): \(plural($0.eventCount, "new event"))" },
      titled: "Deleted here, and not brought back by the import")
    guard let first = report.deleted.first, !report.isDryRun,
      let type = catalog.collection(kind: first.id.kind)?.events
        .first(where: { $0.lifecycle == .restores })?.type
    else { return }
    try console.print(
      "  To see it again: eventlog append \(ShellWord.path(path))"
        + "\(ShellWord.contextOptions(console)) \(type) \(first.id)")
  }

  private var keysTitle: String {
    let keys = plural(report.removableKeys.count, "key")
    return report.isDryRun
      ? "After the import, the app may delete \(keys)" : "The app may now delete \(keys)"
  }

  private func list(_ lines: [String], titled title: String) throws {
    if lines.isEmpty { return }
    try console.print()
    try console.print(title)
    for line in lines.prefix(Self.linesMax) { try console.print("  \(Visible.text(line))") }
    if lines.count > Self.linesMax {
      try console.print("  … and \(lines.count - Self.linesMax) more; --json lists them all")
    }
  }

  private func printConflicts() throws {
    let conflicts = report.sync.newConflicts
    if conflicts.isEmpty { return }
    try console.print()
    try console.print(
      report.isDryRun
        ? "\(plural(conflicts.count, "conflict")) would arise:"
        : "\(plural(conflicts.count, "new conflict")). Nothing is lost: resolve each with one of"
          + " the commands.")
    for conflict in conflicts.prefix(Self.linesMax) {
      try ConflictReport(conflict: conflict, console: console)
        .print(resolvingIn: report.isDryRun ? nil : path, side: side)
    }
    guard conflicts.count > Self.linesMax else { return }
    try console.print("  … and \(conflicts.count - Self.linesMax) more; --json lists them all")
  }

  /// Returns the name of the source that wrote an event, or "here" for people's devices.
  private func side(_ event: FullEventID) -> String {
    report.sourceNames[event.device] ?? "here"
  }

  // MARK: - JSON

  private var json: JSONValue {
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    var members: [JSONObject.Member] = [
      .init(name: "user", value: .string(report.user)),
      .init(name: "valueCount", value: .count(report.valueCount)),
      .init(name: "eventCount", value: .count(report.eventCount)),
      .init(
        name: "sources",
        value: .array(
          report.sources.map { source in
            .sorted([
              .init(name: "name", value: .string(source.name)),
              .init(name: "device", value: .string(source.device.text)),
              .init(name: "eventCount", value: .count(source.eventCount)),
            ])
          })),
      .init(name: "added", value: .array(report.sync.pulled.map(\.json))),
      .init(
        name: "conflicts",
        value: .array(
          report.sync.newConflicts.map { conflict in
            conflict.json { report.sync.side(of: $0).rawValue }
          })),
      .init(name: "removableKeys", value: texts(report.removableKeys)),
      .init(
        name: "otherUsers",
        value: .array(
          report.otherUsers.map { user, count in
            .sorted([
              .init(name: "user", value: user.map { .string($0) } ?? .null),
              .init(name: "valueCount", value: .count(count)),
            ])
          })),
      .init(
        name: "deleted",
        value: .array(
          report.deleted.map {
            .sorted([
              .init(name: "entity", value: .string($0.id.description)),
              .init(name: "eventCount", value: .count($0.eventCount)),
            ])
          })),
      .init(name: "unknown", value: texts(report.unknown)),
      .init(name: "remarks", value: texts(report.remarks)),
      .init(name: "findings", value: texts(report.findings)),
      .init(name: "notices", value: texts(report.sync.notices)),
    ]
    if report.isDryRun { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }
}
