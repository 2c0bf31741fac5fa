import EventLog
import EventLogCrashReports

/// One run of `eventlog crashes`.
struct CrashesRun {
  private let arguments: Arguments
  private let console: Console

  init(_ arguments: Arguments, _ console: Console) {
    (self.arguments, self.console) = (arguments, console)
  }

  func print() async throws -> Verb.ExitStatus {
    try checkOutputs()
    let reports = try await CrashSources.read(arguments.operands, console)
    let symbols = try await CrashSymbols.read(arguments["symbols"], for: reports, console)
    if let path = arguments["export"] {
      if try write(CrashReportFile.bytes(of: reports), to: path) {
        try console.print(
          "Wrote \(plural(reports.count, "report")) to \(Visible.text(path)). The file shows every"
            + " byte that leaves.")
      }
    }
    if let path = arguments["html"] {
      let page = CrashPage(reports, symbols)
      if try write(Array(page.html.utf8), to: path) {
        try console.print("Wrote \(plural(page.groups.count, "group")) to \(Visible.text(path)).")
      }
    }
    if let id = arguments["report"] {
      try printReport(id, reports, symbols)
    } else if console.isJSON {
      try printJSON(reports, symbols)
    } else if arguments["export"] == nil, arguments["html"] == nil {
      try printGroups(reports, symbols)
    }
    return .yes
  }

  /// Checks that no file is written over one that contains something else.
  ///
  /// - Throws: `usage` if an output is a source, a journal, or the other output.
  private func checkOutputs() throws {
    // A name that doesn't exist yet has a canonical path only with its folder.
    func canonical(_ path: String) -> String {
      Terminal.canonicalPath(path.contains("/") ? path : "./" + path)
    }
    let disk = SystemFileSystem()
    let sources = (arguments.operands + [arguments["symbols"]].compactMap { $0 }).map(canonical)
    var outputs: Set<String> = []
    for output in ["export", "html"].compactMap({ arguments[$0] })
    where Terminal.stream(output) == nil {
      let path = canonical(output)
      let kind = (try? disk.status(at: path))?.kind
      if kind == .other { continue }
      let isRead =
        kind != nil && sources.contains { path == $0 || path.hasPrefix($0 + "/") }
      let isJournal = kind == .regular && Self.isJournal(path, disk)
      guard outputs.insert(path).inserted, !isRead, !isJournal else {
        let state = isJournal ? "is a journal" : "is also read or written by this command"
        throw EventLogError.usage(
          "\"\(Visible.text(output))\" \(state). Nothing was written.", "crashes",
          hint: "Use another path.")
      }
    }
  }

  /// Whether a file has the folder of a journal, or begins like an event.
  private static func isJournal(_ path: String, _ disk: SystemFileSystem) -> Bool {
    if !Terminal.isMissing(SideFolder(beside: path, fileSystem: disk).path) { return true }
    guard let file = try? disk.open(path, .read) else { return false }
    defer { disk.close(file) }
    let start = Array(#"{"id":"#.utf8)
    return (try? disk.readBytes(file, at: 0, count: start.count)) == start
  }

  /// Writes a file, or into a pipe, a device or an open stream.
  ///
  /// A link to a file stays, and the file is replaced.
  ///
  /// - Returns: False for a stream, which may be standard output: no other text belongs there.
  private func write(_ bytes: [UInt8], to path: String) throws -> Bool {
    if let stream = Terminal.stream(path) {
      try write(path) { () throws(Terminal.WriteFailure) in try Terminal.write(bytes, to: stream) }
      return false
    }
    let kind: FileKind?
    do throws(Errno) { kind = try replaceFile(at: path, with: bytes) } catch {
      throw EventLogError.inputOutput(
        "write", path, error, meaning: "The reports are unchanged.", hint: "Use another path.")
    }
    if kind == .other {
      try write(path) { () throws(Terminal.WriteFailure) in
        try Terminal.write(bytes, toDevice: path)
      }
    }
    return true
  }

  /// Replaces or creates a file, unless the path leads to a pipe or device. Returns the kind of
  /// what was there.
  private func replaceFile(at path: String, with bytes: [UInt8]) throws(Errno) -> FileKind? {
    let disk = SystemFileSystem()
    let isLink = try disk.isLink(path)
    let kind: FileKind?
    do throws(Errno) { kind = try disk.status(at: path).kind } catch {
      // A link that leads nowhere isn't replaced, and its target isn't guessed.
      guard error == .noSuchFile, !isLink else { throw error }
      kind = nil
    }
    switch kind {
    case .other: break
    case .folder: throw .isDirectory
    case .regular, nil:
      try disk.replaceFile(at: isLink ? Terminal.canonicalPath(path) : path, with: bytes)
    }
    return kind
  }

  private func write(
    _ path: String, _ body: () throws(Terminal.WriteFailure) -> Void
  ) throws(EventLogError) {
    do throws(Terminal.WriteFailure) { try body() } catch {
      // A reader may close its end at any time.
      guard case .other(let reason) = error else { return }
      throw EventLogError(
        .inputOutput,
        "Could not write \"\(Visible.text(path))\": \(reason). The reports are unchanged.",
        hint: "Use another path.")
    }
  }

  // MARK: - Groups

  private func printGroups(_ reports: [CrashReport], _ symbols: CrashSymbols) throws {
    guard let last = reports.first, let first = reports.last else {
      return try console.print("No crash reports.")
    }
    let groups = CrashGroup.groups(of: reports, naming: symbols.function)
    let days =
      Day(first.hour) == Day(last.hour)
      ? "on \(Day(last.hour))" : "from \(Day(first.hour)) to \(Day(last.hour))"
    try console.print(
      "\(plural(reports.count, "report")) in \(plural(groups.count, "group")), \(days)")
    for group in groups {
      try console.print()
      try print(group, endingOn: Day(last.hour), symbols)
    }
  }

  private func print(
    _ group: CrashGroup, endingOn last: Day, _ symbols: CrashSymbols
  ) throws {
    let title = console.styled(group.title, .bold)
    let trend = group.trend(endingOn: last).rawValue
    try console.print("\(title)  \(plural(group.reports.count, "report")), \(trend)")
    for place in group.reports[0].places.compactMap({ $0 }).prefix(CrashGroup.frameCount) {
      try console.print("  \(Visible.text(symbols.name(place)))")
    }
    var table = Table()
    for (name, counts) in [
      ("severity", group.severities), ("version", group.versions), ("device", group.devices),
      ("system", group.systems),
    ] {
      table.add([name, Self.list(counts)])
    }
    let days = CrashGroup.counts(of: group.reports) { Day($0.hour).description }
    table.add(["days", Self.list(days.sorted { $0.name > $1.name })])
    table.add(["latest", group.reports[0].id])
    for line in table.lines(console) { try console.print(line) }
  }

  static func list(_ counts: [CrashGroup.Count]) -> String {
    let shown = counts.prefix(5).map { "\($0.name): \($0.count)" }.joined(separator: "; ")
    return shown + (counts.count > 5 ? "; …" : "")
  }

  // MARK: - One report

  private func printReport(
    _ id: String, _ reports: [CrashReport], _ symbols: CrashSymbols
  ) throws {
    let found = reports.filter { $0.id.hasPrefix(id) }
    guard let report = found.first, found.count == 1 || report.id == id else {
      throw EventLogError.usage(
        found.isEmpty
          ? "There is no report \"\(Visible.text(id))\"."
          : "\(found.count) reports have an ID that begins with \"\(Visible.text(id))\".",
        "crashes", hint: "The list of groups shows the ID of the latest report of each.")
    }
    if console.isJSON { return try console.print(report.json.text) }
    try console.print(console.styled(CrashGroup.title(of: report), .bold))
    var table = Table()
    for row in Self.rows(of: report) { table.add(row) }
    for line in table.lines(console) { try console.print(line) }
    for (index, place) in report.places.enumerated() {
      try console.print("  \(index)  \(Visible.text(place.map(symbols.name) ?? "?"))")
    }
  }

  /// The values of a report, each with its name.
  static func rows(of report: CrashReport) -> [[String]] {
    let rows: [(String, String?)] = [
      ("id", report.id), ("severity", report.severity.rawValue),
      ("version", report.app), ("system", report.system), ("device", report.device),
      ("free memory", report.memory?.rawValue), ("hour", report.hour.description),
      ("thread", report.isMainThread.map { $0 ? "main" : "other" }),
      ("steps", report.breadcrumbs.isEmpty ? nil : report.breadcrumbs.joined(separator: ", ")),
      ("handler", report.hasFailedHandler ? "failed, so frames may be missing" : nil),
      ("omitted", report.omittedCount > 0 ? "\(report.omittedCount) later ones" : nil),
      ("stack", report.isCut ? "more frames than a report contains" : nil),
    ]
    return rows.compactMap { name, value in value.map { [name, $0] } }
  }

  // MARK: - JSON

  private func printJSON(_ reports: [CrashReport], _ symbols: CrashSymbols) throws {
    let last = reports.first.map { Day($0.hour) }
    let groups = CrashGroup.groups(of: reports, naming: symbols.function).map { group in
      JSONValue.sorted([
        .init(name: "title", value: .string(group.title)),
        .init(name: "count", value: .count(group.reports.count)),
        .init(name: "frames", value: .array(group.top.map { .string($0) })),
        .init(name: "trend", value: .string(last.map { group.trend(endingOn: $0).rawValue } ?? "")),
        .init(name: "severities", value: Self.json(group.severities)),
        .init(name: "versions", value: Self.json(group.versions)),
        .init(name: "devices", value: Self.json(group.devices)),
        .init(name: "systems", value: Self.json(group.systems)),
        .init(
          name: "days",
          value: Self.json(CrashGroup.counts(of: group.reports) { Day($0.hour).description })),
        .init(name: "reports", value: .array(group.reports.map { .string($0.id) })),
      ])
    }
    try console.print(
      JSONValue.sorted([
        .init(name: "groups", value: .array(groups)),
        .init(name: "reports", value: .array(reports.map(\.json))),
      ]).text)
  }

  private static func json(_ counts: [CrashGroup.Count]) -> JSONValue {
    .sorted(counts.map { .init(name: $0.name, value: .count($0.count)) })
  }
}
