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

  func perform(_ user: String) async throws -> Verb.Answer {
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
    console.note(ofUnknownKindsIn: store.snapshot, path)
    try? await store.close()
    return .yes
  }

  private func print(_ report: AdoptionUndoReport, of user: String) throws {
    if console.isJSON { return try console.print(json(report).text) }
    if report.changes.isEmpty && report.resolved.isEmpty {
      let what =
        report.kept.isEmpty && report.keptFields.isEmpty && report.left.isEmpty
        ? "nothing" : "nothing else"
      try console.print(
        "\(Visible.text(path)): \(what) of \(Visible.text(user)) is left to undo.")
    } else {
      let count = plural(report.changes.count, "value")
      try console.print(
        isDryRun
          ? "\(Visible.text(path)): undoing \(Visible.text(user)) would change \(count)."
          : "\(Visible.text(path)): undid \(Visible.text(user)), which changed \(count).")
      var table = Table()
      for change in report.changes.prefix(50) {
        table.add([
          Visible.text("\(change.place)#\(change.field)"), EntityTable.text(change.old), "→",
          change.new == .null ? "-" : EntityTable.text(change.new),
        ])
      }
      for line in table.lines(console) { try console.print(line) }
      if report.changes.count > 50 {
        try console.print("  … and \(report.changes.count - 50) more; --json lists them all")
      }
    }
    try print(
      report.kept.map(\.description), "These stay, because they were written to since:")
    try print(
      report.keptFields,
      "These keep the value of \(Visible.text(user)), because somebody has chosen it since:")
    try print(
      report.resolved,
      "These conflicts end with the value that shows without \(Visible.text(user)):")
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
      .init(
        name: "changes",
        value: .array(
          report.changes.map {
            .sorted([
              .init(name: "entity", value: .string($0.place)),
              .init(name: "field", value: .string($0.field)),
              .init(name: "old", value: $0.old), .init(name: "new", value: $0.new),
            ])
          })),
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
