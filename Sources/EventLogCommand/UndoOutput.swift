import EventLog
import EventLogAccounts
import EventLogImport

/// The output of an undo that leaves out the writes of some devices.
struct UndoOutput {
  /// A value that changed.
  struct Change {
    var place: String
    var field: String
    var old: JSONValue
    var new: JSONValue
  }

  private let path: String
  /// The user or the source whose writes are undone.
  private let name: String
  private let isDryRun: Bool
  private let console: Console
  private let changes: [Change]
  private let kept: [EntityID]
  private let keptFields: [String]
  private let resolved: [String]
  private let left: [String]
  private let receipt: AppendReceipt?
  private let wasHidden: Bool

  init(
    _ report: AdoptionUndoReport, of user: String, path: String, dryRun: Bool, _ console: Console
  ) {
    (self.path, name, isDryRun, self.console) = (path, user, dryRun, console)
    changes = report.rows
    (kept, keptFields) = (report.kept, report.keptFields)
    (resolved, left) = (report.resolved, report.left)
    (receipt, wasHidden) = (report.receipt, report.wasHidden)
  }

  init(
    _ report: ImportUndoReport, of source: String, path: String, dryRun: Bool, _ console: Console
  ) {
    (self.path, name, isDryRun, self.console) = (path, source, dryRun, console)
    changes = report.changes.map {
      Change(place: $0.place, field: $0.field, old: $0.old, new: $0.new)
    }
    (kept, keptFields) = (report.kept, report.keptFields)
    (resolved, left) = (report.resolved, report.left)
    (receipt, wasHidden) = (report.receipt, report.wasHidden)
  }

  func print() throws {
    for notice in receipt?.notices ?? [] { console.note("Note: \(notice)") }
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
    let isKept = !(kept.isEmpty && keptFields.isEmpty && left.isEmpty)
    if changes.isEmpty && resolved.isEmpty {
      if isKept || wasHidden {
        try console.print("\(path): nothing\(isKept ? " else" : "") of \(name) is left to undo.")
      } else {
        try console.print(
          isDryRun
            ? "\(path): undoing \(name) would change nothing that shows."
            : "\(path): undid \(name), which changed nothing that shows.")
      }
    } else {
      let count = plural(changes.count, "value")
      try console.print(
        isDryRun
          ? "\(path): undoing \(name) would change \(count)."
          : "\(path): undid \(name), which changed \(count).")
      try changes.print(console)
    }
    try print(kept.map(\.description), "These stay, because they were written to since:")
    try print(
      keptFields, "These keep the value of \(name), because somebody has chosen it since:")
    try print(resolved, "These conflicts end with the value that shows without \(name):")
    try print(left, "These stay, because no event writes the earlier value:")
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
      .init(name: "changes", value: changes.json),
      .init(name: "kept", value: .array(kept.map { .string($0.description) })),
      .init(name: "keptFields", value: .array(keptFields.map { .string($0) })),
      .init(name: "resolved", value: .array(resolved.map { .string($0) })),
      .init(name: "left", value: .array(left.map { .string($0) })),
      .init(
        name: "appended",
        value: .array((receipt?.appended ?? []).map { .string($0.id.description) })),
    ]
    if isDryRun { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }
}

extension [UndoOutput.Change] {
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

extension AdoptionUndoReport {
  /// The changes, for output.
  var rows: [UndoOutput.Change] {
    changes.map { .init(place: $0.place, field: $0.field, old: $0.old, new: $0.new) }
  }
}
