import EventLog

/// The output of `eventlog resolve --plan`.
struct ResolvePlan {
  /// A conflict, and the value that would resolve it.
  struct Resolution {
    var conflict: Conflict
    /// The candidate that is taken, or nil for another value.
    var event: EventID?
    var value: JSONValue
  }

  private let resolutions: [Resolution]
  private let remaining: [Conflict]
  private let path: String
  private let unknownNames: [String]
  private let console: Console

  init(
    _ plan: (resolutions: [Resolution], remaining: [Conflict]), path: String,
    unknownNames: [String],
    console: Console
  ) {
    (resolutions, remaining) = plan
    self.unknownNames = unknownNames
    (self.path, self.console) = (path, console)
  }

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    let path = Visible.text(path)
    if resolutions.isEmpty, remaining.isEmpty {
      return try console.print("\(path): \(Console.noConflicts(exceptIn: unknownNames)).")
    }
    try console.print("\(path) would resolve \(plural(resolutions.count, "conflict")).")
    var table = Table()
    for choice in resolutions.prefix(50) {
      table.add([
        Visible.text(choice.conflict.id), EntityTable.text(choice.value),
        choice.event?.description ?? "another value",
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    if resolutions.count > 50 {
      try console.print("  … and \(resolutions.count - 50) more; --json lists them all")
    }
    if remaining.isEmpty { return }
    try console.print("\(plural(remaining.count, "conflict")) would stay open.")
    for conflict in remaining.prefix(20) { try console.print("  \(Visible.text(conflict.id))") }
    if remaining.count > 20 {
      try console.print("  … and \(remaining.count - 20) more; --json lists them all")
    }
  }

  private var json: JSONValue {
    .sorted([
      .init(name: "plan", value: .bool(true)),
      .init(name: "open", value: .array(remaining.map { .string($0.id) })),
      .init(
        name: "resolved",
        value: .array(
          resolutions.map { choice in
            .sorted([
              .init(name: "id", value: .string(choice.conflict.id)),
              .init(name: "event", value: choice.event.map { .string($0.description) } ?? .null),
              .init(name: "value", value: choice.value),
            ])
          })),
    ])
  }
}
