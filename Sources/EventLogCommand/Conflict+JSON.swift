import EventLog

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
