import EventLog

/// What `eventlog diff` says.
struct DifferenceReport {
  /// More rows of one sort are no glance any more.
  private static let rowsMax = 20

  let difference: JournalDifference
  let left: Journal
  let right: Journal
  let console: Console

  // MARK: - For a person

  func print() throws {
    let names = (Table.cell(left.path), Table.cell(right.path))
    guard !difference.isEmpty else {
      return try console.print("\(names.0) and \(names.1) hold the same events.")
    }
    try print(difference.left, onlyIn: names.0)
    try print(difference.right, onlyIn: names.1)
    for fork in difference.forks {
      try console.print(
        console.styled("\(fork) is the ID of two different events", .red)
          + ": \(fork.device) has a fork. From there on nothing of it can be merged, nor what has"
          + " seen it.")
    }
    try printFields(names)
    try printConflicts()
    for refusal in difference.refused { console.note("Warning: \(Table.cell(refusal.message))") }
    try console.print()
    try console.print("eventlog sync \(names.0) \(names.1) merges them; nothing is overwritten.")
  }

  private func print(_ ranges: [EventRange], onlyIn name: String) throws {
    let count = ranges.reduce(0) { $0 + $1.count }
    try console.print(
      console.styled("only in \(name)", .bold)
        + ": \(count == 0 ? "nothing" : plural(Int(count), "event"))")
    var table = Table()
    for range in ranges.prefix(Self.rowsMax) {
      table.add([
        plural(Int(range.count), "event"), "\(range)",
        Table.cell(difference.deviceNames[range.device] ?? ""),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    try printRest(ranges.count, "devices")
  }

  private func printFields(_ names: (String, String)) throws {
    if difference.fields.isEmpty { return }
    try console.print()
    var table = Table(["shows otherwise", "", names.0, names.1])
    for field in difference.fields.prefix(Self.rowsMax) {
      table.add([
        Table.cell(field.entity), Table.cell(field.field), Self.text(field.left),
        Self.text(field.right),
      ])
    }
    for line in table.lines(console, indent: "") { try console.print(line) }
    try printRest(difference.fields.count, "fields")
  }

  private static func text(_ value: JSONValue?) -> String { value.map(EntityTable.text) ?? "–" }

  private func printConflicts() throws {
    if difference.conflicts.isEmpty { return }
    try console.print()
    try console.print(
      console.styled(
        "merging would raise \(plural(difference.conflicts.count, "conflict"))", .bold))
    for conflict in difference.conflicts.prefix(Self.rowsMax) {
      try ConflictReport(conflict: conflict, console: console)
        .print(side: { difference.side(of: $0).rawValue })
    }
    try printRest(difference.conflicts.count, "conflicts")
  }

  private func printRest(_ count: Int, _ what: String) throws {
    guard count > Self.rowsMax else { return }
    try console.print("  … and \(count - Self.rowsMax) more \(what); --json lists all")
  }

  /// Prints the events that one side has alone, marked as a line of `diff` is.
  func printEvents() throws {
    let filter = EventFilter()
    for (journal, ranges, mark) in [
      (left, difference.left, "< "), (right, difference.right, "> "),
    ] {
      var wanted = EventRanges()
      for range in ranges { wanted.insert(range) }
      if wanted.isEmpty { continue }
      var failure: Terminal.WriteFailure?
      _ = try journal.replay { event, _ in
        guard wanted.contains(event.id) else { return true }
        do throws(Terminal.WriteFailure) {
          try console.print(mark + Verb.line(of: event, filter, console))
        } catch {
          failure = error
          return false
        }
        return true
      }
      if let failure { throw failure }
    }
  }

  // MARK: - For a program

  var json: JSONValue {
    .sorted([
      .init(name: "left", value: .array(difference.left.map(\.json))),
      .init(name: "right", value: .array(difference.right.map(\.json))),
      .init(name: "forks", value: .array(difference.forks.map(\.forkJSON))),
      .init(name: "fields", value: .array(difference.fields.map(Self.json))),
      .init(
        name: "conflicts",
        value: .array(
          difference.conflicts.map { conflict in
            conflict.json { difference.side(of: $0).rawValue }
          })),
    ])
  }

  private static func json(_ field: JournalDifference.Field) -> JSONValue {
    .sorted([
      .init(name: "entity", value: .string(field.entity)),
      .init(name: "field", value: .string(field.field)),
      .init(name: "left", value: field.left ?? .null),
      .init(name: "right", value: field.right ?? .null),
    ])
  }
}
