import EventLog
import EventLogUndo

/// The output of an undo that leaves out the writes of some devices.
struct UndoOutput {
  private let path: String
  /// The user or the source whose writes are undone.
  private let name: String
  private let isDryRun: Bool
  private let console: Console
  private let report: DeviceUndoReport
  /// The heading of the kept entities.
  private let keptTitle: String

  /// - Parameter keptTitle: The heading of the kept entities.
  init(
    _ report: DeviceUndoReport, of name: String, path: String, dryRun: Bool, keptTitle: String,
    _ console: Console
  ) {
    (self.report, self.path, self.name, isDryRun) = (report, path, name, dryRun)
    (self.keptTitle, self.console) = (keptTitle, console)
  }

  /// The heading of the entities that an undo of an import keeps.
  static let keptByImport = "These stay with what people wrote in them:"
  /// The heading of the entities that an undo of an adoption keeps.
  static let keptByAdoption = "These stay, because they were written to since:"

  func print() throws {
    for notice in report.receipt?.notices ?? [] { console.note("Note: \(notice)") }
    do {
      try printReport()
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The undo is complete; only its report could not be written: \(reason).",
        hint: "It is safe to run it again.")
    }
  }

  private func printReport() throws {
    if console.isJSON { return try console.print(json.text) }
    let (path, name) = (Visible.text(path), Visible.text(name))
    let isKept = !(report.kept.isEmpty && report.keptFields.isEmpty && report.left.isEmpty)
    if report.changes.isEmpty && report.resolved.isEmpty {
      if isKept || report.wasHidden {
        try console.print("\(path): nothing\(isKept ? " else" : "") of \(name) is left to undo.")
      } else {
        try console.print(
          isDryRun
            ? "\(path): undoing \(name) would change nothing that shows."
            : "\(path): undid \(name), which changed nothing that shows.")
      }
    } else {
      let count = plural(report.changes.count, "value")
      try console.print(
        isDryRun
          ? "\(path): undoing \(name) would change \(count)."
          : "\(path): undid \(name), which changed \(count).")
      try report.changes.print(console)
    }
    try print(report.kept.map(\.description), keptTitle)
    try print(
      report.keptFields, "These keep the value of \(name), because somebody has chosen it since:")
    try print(report.resolved, "These conflicts end with the value that shows without \(name):")
    try print(report.left, "These stay, because no event writes the earlier value:")
  }

  private func print(_ names: [String], _ title: String) throws {
    if names.isEmpty { return }
    try console.print(title)
    for name in names.prefix(20) { try console.print("  \(Visible.text(name))") }
    if names.count > 20 {
      try console.print("  … and \(names.count - 20) more; --json lists them all")
    }
  }

  private var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "changes", value: report.changes.json),
      .init(name: "kept", value: .array(report.kept.map { .string($0.description) })),
      .init(name: "keptFields", value: .array(report.keptFields.map { .string($0) })),
      .init(name: "resolved", value: .array(report.resolved.map { .string($0) })),
      .init(name: "left", value: .array(report.left.map { .string($0) })),
      .init(
        name: "appended",
        value: .array((report.receipt?.appended ?? []).map { .string($0.id.description) })),
    ]
    if isDryRun { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }
}

extension [DeviceUndoReport.Change] {
  /// Prints the changed fields, at most 50.
  func print(_ console: Console) throws {
    func text(_ value: JSONValue) -> String { value == .null ? "-" : EntityTable.text(value) }
    var table = Table()
    for change in prefix(50) {
      table.add([
        Visible.text("\(change.place)#\(change.field)"), text(change.old), "→", text(change.new),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    if count > 50 { try console.print("  … and \(count - 50) more; --json lists them all") }
  }

  var json: JSONValue {
    .array(
      map {
        .sorted([
          .init(name: "entity", value: .string($0.place)),
          .init(name: "field", value: .string($0.field)),
          .init(name: "old", value: $0.old), .init(name: "new", value: $0.new),
        ])
      })
  }
}
