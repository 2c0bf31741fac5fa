import EventLog
import EventLogAttachments

extension SyncOutcomeReport {
  var json: JSONValue {
    let reports = outcomes.map(\.report)
    func ranges(_ path: KeyPath<SyncReport, [EventRange]>) -> JSONValue {
      .array(Set(reports.flatMap { $0[keyPath: path] }).sorted().map(\.json))
    }
    var forks: [JournalFork] = []
    for fork in reports.flatMap(\.forks) where !forks.contains(fork) { forks.append(fork) }
    var members: [JSONObject.Member] = [
      .init(name: "pulled", value: ranges(\.pulled)),
      .init(name: "pushed", value: ranges(\.pushed)),
      .init(name: "pending", value: ranges(\.pending)),
      .init(name: "forks", value: .array(forks.map(\.json))),
      .init(name: "missing", value: .array(last.missing.map(\.json))),
      .init(name: "refused", value: .array(reports.flatMap(\.refused).map(\.json))),
      .init(
        name: "conflicts",
        value: .array(
          conflicts.map { conflict, side in conflict.json { side($0).rawValue } })),
      .init(
        name: "hasDuplicateWriter", value: .bool(reports.contains(where: \.hasDuplicateWriter))),
      .init(
        name: "notices", value: .array(reports.flatMap(\.notices).map { .string($0) })),
      .init(name: "remotes", value: .array(outcomes.map(Self.json))),
    ]
    if !attachments.isEmpty {
      members.append(.init(name: "attachments", value: .array(attachments.map(\.json))))
    }
    if isDryRun { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }

  private static func json(_ outcome: SyncOutcome) -> JSONValue {
    let report = outcome.report
    func ranges(_ ranges: [EventRange]) -> JSONValue { .array(ranges.map(\.json)) }
    var members: [JSONObject.Member] = [
      .init(name: "remote", value: .string(outcome.address)),
      .init(name: "pulledCount", value: .count(Int(report.pulledCount))),
      .init(name: "pushedCount", value: .count(Int(report.pushedCount))),
      .init(name: "pulled", value: ranges(report.pulled)),
      .init(name: "pushed", value: ranges(report.pushed)),
      .init(name: "pending", value: ranges(report.pending)),
      .init(name: "notPulled", value: ranges(report.notPulled)),
      .init(name: "notPushed", value: ranges(report.notPushed)),
      .init(name: "forks", value: .array(report.forks.map(\.json))),
      .init(name: "refused", value: .array(report.refused.map(\.json))),
      .init(name: "isNew", value: .bool(outcome.isRemoteNew)),
    ]
    if let error = outcome.error { members.append(.init(name: "error", value: error.codeJSON)) }
    return .sorted(members)
  }
}
