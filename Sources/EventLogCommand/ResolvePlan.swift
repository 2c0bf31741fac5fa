import EventLog

/// The output of `eventlog resolve --plan`.
struct ResolvePlan {
  /// A conflict, and the value that would resolve it.
  struct Settled {
    var conflict: Conflict
    /// The candidate that is taken, or nil for another value.
    var event: EventID?
    var value: JSONValue
  }

  private let settled: [Settled]
  private let left: [Conflict]
  private let path: String
  private let unknownNames: [String]
  private let console: Console

  init(
    _ plan: (settled: [Settled], left: [Conflict]), path: String, unknownNames: [String],
    console: Console
  ) {
    (settled, left) = plan
    self.unknownNames = unknownNames
    (self.path, self.console) = (path, console)
  }

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    let path = Visible.text(path)
    if settled.isEmpty, left.isEmpty {
      return try console.print("\(path): \(Console.noConflicts(besidesThoseOf: unknownNames)).")
    }
    try console.print("\(path) would resolve \(plural(settled.count, "conflict")).")
    var table = Table()
    for choice in settled.prefix(50) {
      table.add([
        Visible.text(choice.conflict.id), EntityTable.text(choice.value),
        choice.event?.description ?? "another value",
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    if settled.count > 50 {
      try console.print("  … and \(settled.count - 50) more; --json lists them all")
    }
    if left.isEmpty { return }
    try console.print("\(plural(left.count, "conflict")) would stay open.")
    for conflict in left.prefix(20) { try console.print("  \(Visible.text(conflict.id))") }
    if left.count > 20 {
      try console.print("  … and \(left.count - 20) more; --json lists them all")
    }
  }

  private var json: JSONValue {
    .sorted([
      .init(name: "plan", value: .bool(true)),
      .init(name: "open", value: .array(left.map { .string($0.id) })),
      .init(
        name: "resolved",
        value: .array(
          settled.map { choice in
            .sorted([
              .init(name: "id", value: .string(choice.conflict.id)),
              .init(name: "event", value: choice.event.map { .string($0.description) } ?? .null),
              .init(name: "value", value: choice.value),
            ])
          })),
    ])
  }
}
