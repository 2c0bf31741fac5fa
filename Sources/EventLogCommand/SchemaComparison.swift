import EventLog
import EventLogInspection

/// The output of `eventlog types --against`.
struct SchemaComparison {
  private let changes: [SchemaChange]
  private let paths: (released: String, current: String)
  private let console: Console

  init(_ arguments: Arguments, _ console: Console) throws {
    guard let current = arguments["schema"], let released = arguments["against"],
      arguments.operands.isEmpty, !arguments.has("declaration")
    else {
      throw EventLogError.usage(
        "--against compares two files: --schema NEW.json --against OLD.json.", "types")
    }
    changes = CollectionSchema.changes(
      from: try arguments.collections("against"), to: try arguments.collections("schema"))
    paths = (released, current)
    self.console = console
  }

  /// - Returns: `.no` if there are changes.
  func print() throws -> Verb.ExitStatus {
    if console.isJSON {
      try console.print(
        JSONValue.sorted([.init(name: "changes", value: .array(changes.map(\.json)))]).text)
    } else if changes.isEmpty {
      try console.print(
        "\(Visible.text(paths.current)) and \(Visible.text(paths.released)) understand each other.")
    } else {
      for change in changes {
        try console.print("\(Visible.text(change.subject)): \(Visible.text(change.change))")
        try console.print("  \(Visible.text(change.effect))")
        try console.print("  \(change.advice)")
      }
    }
    return changes.isEmpty ? .yes : .no
  }
}

extension SchemaChange {
  fileprivate var json: JSONValue {
    .sorted([
      .init(name: "advice", value: .string(advice)),
      .init(name: "change", value: .string(change)),
      .init(name: "effect", value: .string(effect)),
      .init(name: "kind", value: .string(kind.rawValue)),
      .init(name: "subject", value: .string(subject)),
    ])
  }
}
