import EventLog

/// What an append did, as a person or a program reads it.
struct AppendReport {
  let receipt: AppendReceipt
  let console: Console

  /// Prints at once, and tells a result that could not be written apart from an append that failed,
  /// which could be made again.
  func printFlushed() throws {
    do {
      try print()
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) {
      let ids = receipt.appended.map(\.id.description).prefix(3).joined(separator: ", ")
      let state = receipt.appended.count == 1 ? "was appended and is" : "were appended and are"
      throw EventLogError(
        writtenUnsaid:
          "\(plural(receipt.appended.count, "event")) (\(ids)) \(state) durable; only the answer"
          + " could not be written: \(reason)."
      )
    }
  }

  private func print() throws {
    if console.isJSON {
      let appended = receipt.appended.map { event in
        var members: [JSONObject.Member] = [.init(name: "id", value: .string(event.id.description))]
        if let entity = event.entity {
          members.append(.init(name: "entity", value: .string(entity.description)))
        }
        return JSONValue.sorted(members)
      }
      return try console.print(
        JSONValue.sorted([
          .init(name: "appended", value: .array(appended)),
          .init(name: "skippedCount", value: .count(receipt.skippedCount)),
        ]).text)
    }
    if let first = receipt.appended.first, let last = receipt.appended.last,
      receipt.appended.count > 10
    {
      try console.print("\(receipt.appended.count) events appended, \(first.id) to \(last.id)")
    } else {
      for event in receipt.appended {
        try console.print(
          ([event.id.description] + (event.entity.map { [$0.description] } ?? []))
            .joined(separator: "  "))
      }
    }
    if receipt.skippedCount > 0 {
      try console.print("\(plural(receipt.skippedCount, "event")) skipped: held already")
    }
  }
}
