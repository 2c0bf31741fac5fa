import EventLog
import EventLogInspection

/// The output of `eventlog diff`.
struct DifferenceReport {
  /// The maximum number of rows printed per list.
  private static let rowsMax = 20

  @Boxed private(set) var difference: JournalDifference
  let left: Journal
  let right: Journal
  let console: Console

  func print() throws {
    let names = (Visible.text(left.path), Visible.text(right.path))
    guard !difference.isEmpty else { return try console.print(equalityNote) }
    try print(difference.left, difference.leftTimes, onlyIn: names.0)
    try print(difference.right, difference.rightTimes, onlyIn: names.1)
    try printFields(names)
    try printConflicts(names)
    try console.print()
    let command =
      ["eventlog", "sync"] + [left.path, right.path].map(ShellWord.path)
      + console.context.map(ShellWord.quoted)
    guard let adoption else {
      return try console.print("\(command.joined(separator: " ")) merges \(mergeDescription).")
    }
    if adoption.hasNewEvents {
      try console.print(
        "\(command.joined(separator: " ")) fetches what only \(adoption.guest) contains.")
    }
    try console.print(
      "\(adoption.guest) receives nothing, because its user, \(adoption.user), was adopted: there"
        + " is nothing \(adoption.hasNewEvents ? "else " : "")to sync.")
  }

  /// The guest and its user, if one journal has adopted the user of the other.
  ///
  /// Events are then synced in one direction only.
  private var adoption: (guest: String, user: String, hasNewEvents: Bool)? {
    guard let (side, user) = difference.adopted else { return nil }
    let (guest, own) =
      side == .right ? (right.path, difference.right) : (left.path, difference.left)
    return (Visible.text(guest), Visible.text(user), !own.isEmpty)
  }

  private var equalityNote: String {
    "\(Visible.text(left.path)) and \(Visible.text(right.path)) contain the same events."
  }

  private var mergeDescription: String {
    difference.refused.isEmpty
      ? "them; nothing is overwritten" : "the rest; nothing is overwritten"
  }

  private func print(
    _ ranges: [EventRange], _ times: [DeviceID: ClosedRange<Timestamp>], onlyIn name: String
  ) throws {
    let count = ranges.reduce(0) { $0 + $1.count }
    try console.print(
      console.styled("only in \(name)", .bold)
        + ": \(count == 0 ? "nothing" : plural(Int(count), "event"))")
    var table = Table()
    for range in ranges.prefix(Self.rowsMax) {
      table.add([
        plural(Int(range.count), "event"), range.text(difference.id),
        Visible.text(difference.deviceNames[range.device] ?? ""),
        times[range.device].map(Self.days) ?? "",
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    try printRest(ranges.count, "devices")
  }

  /// Returns the days of the first and the last event, in UTC.
  private static func days(_ times: ClosedRange<Timestamp>) -> String {
    let days = [times.lowerBound, times.upperBound].map { $0.description.prefix(10) }
    return days[0] == days[1] ? String(days[0]) : "\(days[0]) to \(days[1])"
  }

  private func printFields(_ names: (String, String)) throws {
    if difference.fields.isEmpty { return }
    try console.print()
    var table = Table(["differs", "", names.0, names.1])
    let rows = DifferenceRows(of: difference.fields)
    for row in rows.prefix(Self.rowsMax) { table.add(row) }
    for line in table.lines(console, indent: "") { try console.print(line) }
    try printRest(rows.count, "rows")
  }

  private func printConflicts(_ names: (String, String)) throws {
    if difference.conflicts.isEmpty { return }
    try console.print()
    try console.print(
      console.styled(
        "merging would raise \(plural(difference.conflicts.count, "conflict"))", .bold))
    for conflict in difference.conflicts.prefix(Self.rowsMax) {
      try ConflictReport(conflict: conflict, console: console)
        .print(side: { event in
          switch difference.side(of: event) {
          case .left: names.0
          case .right: names.1
          case .both: "both journals"
          }
        })
    }
    try printRest(difference.conflicts.count, "conflicts")
  }

  private func printRest(_ count: Int, _ noun: String) throws {
    guard count > Self.rowsMax else { return }
    try console.print("  … and \(count - Self.rowsMax) more \(noun); --json lists them all")
  }

  /// Prints the events that only one side has, marked with `<` or `>`.
  func printEvents() throws {
    // Standard output contains only events.
    if difference.isEmpty { console.note("Note: \(equalityNote)") }
    for (journal, ranges, mark) in [
      (left, difference.left, "< "), (right, difference.right, "> "),
    ] {
      var printer = DifferencePrinter(mark: mark, difference: difference, console: console)
      try journal.visit(ranges, by: &printer)
      if let failure = printer.failure { throw failure }
    }
  }
}

/// Prints the events of one side.
private struct DifferencePrinter: LineVisitor {
  private let mark: [UInt8]
  private let difference: JournalDifference
  private let console: Console
  private var text: EventText
  /// The first failed write, after which nothing more is printed.
  private(set) var failure: Terminal.WriteFailure?

  init(mark: String, difference: JournalDifference, console: Console) {
    self.mark = Array(mark.utf8)
    self.difference = difference
    self.console = console
    text = EventText(console)
  }

  var isDone: Bool { failure != nil }
  var wantsData: Bool { true }

  mutating func begin(_ known: KnownEvents) {}

  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>) {
    let showsChain = difference.id(of: FullEventID(layout, canonical)).chain != nil
    do throws(Terminal.WriteFailure) {
      try console.printLine { output in
        output += mark
        text.write(layout, canonical, showsChain: showsChain, to: &output)
      }
    } catch {
      failure = error
    }
  }
}
