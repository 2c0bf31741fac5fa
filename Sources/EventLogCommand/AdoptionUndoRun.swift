import EventLog
import EventLogAccounts

/// One call of `eventlog adopt --undo`.
struct AdoptionUndoRun {
  private let path: String
  private let store: EventStore
  private let isDryRun: Bool
  private let console: Console

  init(_ path: String, _ store: EventStore, _ arguments: Arguments, _ console: Console) {
    self.path = path
    self.store = store
    self.console = console
    isDryRun = arguments.has("plan")
  }

  func perform(_ user: String) async throws -> Verb.ExitStatus {
    let report =
      isDryRun
      ? try await store.dryRunUndoOfAdoption(of: user) : try await store.undoAdoption(of: user)
    for notice in report.receipt?.notices ?? [] { console.note("Note: \(notice)") }
    do {
      try print(report, of: user)
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The undo is complete; only its report could not be written: \(reason).",
        hint: "It is safe to run it again.")
    }
    console.note(undeclared: store.snapshot.unknownNames, in: path)
    try? await store.close()
    return .yes
  }

  private func print(_ report: AdoptionUndoReport, of user: String) throws {
    if console.isJSON { return try console.print(json(report).text) }
    let (path, name) = (Visible.text(path), Visible.text(user))
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
      try report.printChanges(console)
    }
    try print(
      report.kept.map(\.description), "These stay, because they were written to since:")
    try print(
      report.keptFields,
      "These keep the value of \(name), because somebody has chosen it since:")
    try print(
      report.resolved,
      "These conflicts end with the value that shows without \(name):")
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

  private func json(_ report: AdoptionUndoReport) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "changes", value: report.changesJSON),
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

extension AdoptionUndoReport {
  /// Prints the changed fields, at most 50.
  func printChanges(_ console: Console) throws {
    func text(_ value: JSONValue) -> String { value == .null ? "-" : EntityTable.text(value) }
    var table = Table()
    for change in changes.prefix(50) {
      table.add([
        Visible.text("\(change.place)#\(change.field)"), text(change.old), "→", text(change.new),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    if changes.count > 50 {
      try console.print("  … and \(changes.count - 50) more; --json lists them all")
    }
  }

  var changesJSON: JSONValue {
    .array(
      changes.map {
        .sorted([
          .init(name: "entity", value: .string($0.place)),
          .init(name: "field", value: .string($0.field)),
          .init(name: "old", value: $0.old), .init(name: "new", value: $0.new),
        ])
      })
  }
}
