import EventLog
import EventLogInspection

extension RepairOutput {
  var json: JSONValue {
    var members = Self.members(reports)
    members += [
      .init(name: "missing", value: .array(status.missing.map(\.json))),
      .init(name: "damaged", value: .bool(status.firstDamage != nil)),
      .init(name: "remotes", value: .array(outcomes.map(Self.json))),
    ]
    if let attachments { members.append(.init(name: "attachments", value: attachments.json)) }
    return .sorted(members)
  }

  private static func json(_ outcome: RepairOutcome) -> JSONValue {
    var members = members([outcome.report])
    members.append(.init(name: "remote", value: .string(outcome.remote)))
    if let error = outcome.error { members.append(.init(name: "error", value: error.codeJSON)) }
    return .sorted(members)
  }

  private static func members(_ reports: [RepairReport]) -> [JSONObject.Member] {
    func ranges(_ path: KeyPath<RepairReport, [EventRange]>) -> JSONValue {
      .array(Set(reports.flatMap { $0[keyPath: path] }).sorted().map(\.json))
    }
    return [
      .init(name: "refilled", value: ranges(\.refilled)),
      .init(name: "pulled", value: ranges(\.pulled)),
      .init(name: "accepted", value: ranges(\.accepted)),
      .init(name: "refused", value: .array(reports.flatMap(\.refused).map(\.json))),
      .init(name: "notices", value: .array(reports.flatMap(\.notices).map { .string($0) })),
    ]
  }
}
