import EventLog

extension EventRange {
  var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(device.text)),
      .init(name: "first", value: .number(JSONNumber(first))),
      .init(name: "last", value: .number(JSONNumber(last))),
      .init(name: "chain", value: .string(String(end.description.suffix(8)))),
    ])
  }
}

extension JournalFork {
  var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(device.text)),
      .init(name: "after", value: after.map { .string($0.description) } ?? .null),
      .init(name: "tips", value: .array(tips.map(\.json))),
    ])
  }
}

extension FullEventID {
  var json: JSONValue { .string(description) }
}

extension Conflict {
  /// Returns the conflict as all `--json` outputs print it, with the side of each candidate.
  func json(side: (FullEventID) -> String) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "id", value: .string(id)),
      .init(name: "entity", value: .string(entity)),
      .init(name: "field", value: .string(field)),
      .init(name: "kind", value: .string(kind.rawValue)),
      .init(
        name: "candidates",
        value: .array(
          candidates.map { candidate in
            .sorted([
              .init(name: "event", value: .string(candidate.event.description)),
              .init(name: "device", value: .string(candidate.event.device.text)),
              .init(name: "at", value: .string(candidate.at.description)),
              .init(name: "value", value: candidate.value),
              .init(name: "side", value: .string(side(candidate.fullID))),
            ])
          })),
    ]
    if let base { members.append(.init(name: "base", value: base)) }
    if let shown { members.append(.init(name: "shown", value: .string(shown.description))) }
    return .sorted(members)
  }
}

extension SyncReport.Refusal {
  var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "code", value: .string(code.text)),
      .init(name: "message", value: .string(message)),
    ]
    if let device { members.append(.init(name: "device", value: .string(device.text))) }
    if let sequence {
      members.append(.init(name: "sequence", value: .number(JSONNumber(sequence))))
    }
    return .sorted(members)
  }
}

extension EventLogError {
  var codeJSON: JSONValue {
    .sorted([
      .init(name: "code", value: .string(code.text)),
      .init(name: "message", value: .string(message)),
    ])
  }
}
