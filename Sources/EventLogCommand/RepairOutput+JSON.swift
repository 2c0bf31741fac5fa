import EventLog

extension RepairOutput {
  /// What was done, for a program.
  var json: JSONValue {
    var members = Self.members(
      outcomes.flatMap(\.reports), left: outcomes.compactMap(\.reports.last))
    members.append(.init(name: "damaged", value: .bool(damage != nil)))
    members.append(
      .init(
        name: "remotes",
        value: .array(
          outcomes.compactMap { outcome in
            outcome.remote.map { Self.json(outcome, of: $0) }
          })))
    return .sorted(members)
  }

  private static func json(_ outcome: RepairOutcome, of remote: String) -> JSONValue {
    var members = members(outcome.reports, left: outcome.reports.suffix(1))
    members.append(.init(name: "remote", value: .string(remote)))
    if let error = outcome.error { members.append(.init(name: "error", value: error.codeJSON)) }
    return .sorted(members)
  }

  /// - Parameter left: the reports that tell what is left.
  private static func members(
    _ reports: [RepairReport], left: some Sequence<RepairReport>
  ) -> [JSONObject.Member] {
    func ranges(_ path: KeyPath<RepairReport, [EventRange]>) -> JSONValue {
      .array(reports.flatMap { $0[keyPath: path] }.map(\.json))
    }
    return [
      .init(name: "refilled", value: ranges(\.refilled)),
      .init(name: "pulled", value: ranges(\.pulled)),
      .init(
        name: "reissued",
        value: .array(
          reports.flatMap(\.reissued).map { move in
            .sorted([
              .init(name: "from", value: move.from.json), .init(name: "to", value: move.to.json),
            ])
          })),
      .init(
        name: "reorderedCount", value: .count(reports.reduce(0) { $0 + $1.reorderedCount })),
      .init(name: "lost", value: ranges(\.lost)),
      .init(
        name: "quarantined",
        value: .array(reports.flatMap(\.quarantined).map { .string($0) })),
      .init(name: "forks", value: .array(left.flatMap(\.forks).map(\.json))),
      .init(name: "refused", value: .array(left.flatMap(\.refused).map(\.json))),
      .init(name: "notices", value: .array(reports.flatMap(\.notices).map { .string($0) })),
    ]
  }
}

extension RepairReport.Fork {
  fileprivate var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(event.device.text)),
      .init(name: "sequence", value: .number(JSONNumber(event.sequence))),
      .init(name: "reason", value: .string(reason.rawValue)),
    ])
  }
}
