import EventLog
import EventLogInspection

/// The output of `eventlog status --where`.
struct CoverageReport {
  let result: ReplicationCoverage
  let path: String
  let console: Console
  /// The attachments that it names, or nil for none.
  let attachments: AttachmentCoverage?

  static func run(
    _ subject: String, _ path: String, _ arguments: Arguments, _ console: Console
  ) throws -> Verb.ExitStatus {
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    let result = try journal.coverage(of: subject)
    console.warn(result.warnings, of: path)
    let report = CoverageReport(
      result: result, path: path, console: console,
      attachments: try AttachmentCoverage(of: subject, result, path, arguments, console))
    if console.isJSON { try console.print(report.json.text) } else { try report.print() }
    console.warn(ofDamage: result.firstDamage, of: result.damageCount, in: path)
    return .yes
  }

  private func print() throws {
    var summary = "\(Visible.text(result.name)): \(plural(result.eventCount, "event"))"
    if let last = result.last, result.eventCount > 1 {
      summary += ", the last one \(last.id)"
    }
    if let at = result.last?.at { summary += result.eventCount > 1 ? " at \(at)" : " of \(at)" }
    try console.print(summary)
    var table = Table()
    table.add([Visible.text(path), "holds it"])
    for coverage in result.remotes {
      table.add([Visible.text(coverage.remote.address), text(coverage)])
    }
    for line in table.lines(console) { try console.print(line) }
    if result.remotes.isEmpty {
      try console.print("No other place is known: no sync from here was noted.")
    }
    try attachments?.print(path, console)
  }

  private func text(_ coverage: ReplicationCoverage.RemoteCoverage) -> String {
    guard let success = coverage.remote.success else {
      return coverage.remote.failure == nil
        ? "isn't known to hold it: no sync from here was noted"
        : "isn't known to hold it: no sync from here has succeeded"
    }
    if coverage.lacking.isEmpty { return "held it at \(success.at)" }
    let all = coverage.lacking.count < result.eventCount ? "all of it" : "it"
    if coverage.remote.takesNothing {
      return "isn't known to hold \(all): it receives nothing, because its user was adopted"
    }
    return
      "isn't known to hold \(all): \(RemoteStatus.waits(coverage.lacking.count, coverage.oldest));"
      + " last synced at \(success.at)"
  }

  private var json: JSONValue {
    let attachments = attachments.map { JSONObject.Member(name: "attachments", value: $0.json) }
    return .sorted(
      [
        .init(name: "what", value: .string(result.name)),
        .init(name: "eventCount", value: .count(result.eventCount)),
        .init(
          name: "last", value: result.last.map { .string($0.id.description) } ?? .null),
        .init(
          name: "places",
          value: .array(
            result.remotes.map { coverage in
              let isKnown = coverage.remote.success != nil
              return .sorted([
                .init(name: "address", value: .string(coverage.remote.address)),
                .init(name: "holds", value: .bool(isKnown && coverage.lacking.isEmpty)),
                .init(
                  name: "heldCount",
                  value: .count(isKnown ? result.eventCount - coverage.lacking.count : 0)),
                .init(
                  name: "asOf",
                  value: coverage.remote.success.map { .string($0.at.description) } ?? .null),
                .init(name: "status", value: .string(coverage.remote.word)),
              ])
            })),
      ] + [attachments].compactMap(\.self))
  }
}
