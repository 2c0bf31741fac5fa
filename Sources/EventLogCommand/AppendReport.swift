import EventLog

/// The result of `append` calls, as text or JSON.
struct AppendReport {
  private let appended: [AppendReceipt.Appended]
  private let skippedCount: Int
  private let console: Console
  /// Additional members of the JSON object.
  private let members: [JSONObject.Member]

  init(
    _ receipts: [AppendReceipt], adding members: [JSONObject.Member] = [], console: Console
  ) {
    self.members = members
    appended = receipts.flatMap(\.appended)
    skippedCount = receipts.reduce(0) { $0 + $1.skippedCount }
    self.console = console
  }

  /// Prints and flushes the report; an error in writing it states that the events are durable.
  func printFlushed() throws {
    do {
      try print()
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) {
      let ids = appended.map(\.id.description).prefix(3).joined(separator: ", ")
      let state = appended.count == 1 ? "was appended and is" : "were appended and are"
      throw EventLogError(
        writtenUnsaid:
          "\(plural(appended.count, "event")) (\(ids)) \(state) durable; only the output"
          + " could not be written: \(reason)."
      )
    }
  }

  private func print() throws {
    if console.isJSON {
      let appended = appended.map { event in
        var members: [JSONObject.Member] = [.init(name: "id", value: .string(event.id.description))]
        if let entity = event.entity {
          members.append(.init(name: "entity", value: .string(entity.description)))
        }
        return JSONValue.sorted(members)
      }
      return try console.print(
        JSONValue.sorted(
          [
            .init(name: "appended", value: .array(appended)),
            .init(name: "skippedCount", value: .count(skippedCount)),
          ] + members
        ).text)
    }
    if let first = appended.first, let last = appended.last,
      appended.count > 10
    {
      try console.print("\(appended.count) events appended, \(first.id) to \(last.id)")
    } else {
      for event in appended {
        try console.print(
          ([event.id.description] + (event.entity.map { [$0.description] } ?? []))
            .joined(separator: "  "))
      }
    }
    if skippedCount > 0 {
      let refs = skippedCount == 1 ? "an event with its ref" : "events with their refs"
      try console.print(
        "\(plural(skippedCount, "event")) skipped: the journal already contains \(refs); the data"
          + " was not compared")
    }
  }
}
