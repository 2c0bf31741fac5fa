import EventLog
import EventLogInspection

/// The output of `eventlog status --where`.
struct WhereaboutsReport {
  let found: ReplicationCoverage
  let path: String
  let console: Console

  static func run(
    _ what: String, _ path: String, _ arguments: Arguments, _ console: Console
  ) throws -> Verb.Answer {
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    let found = try journal.coverage(of: what)
    console.warn(found.warnings, of: path)
    let report = WhereaboutsReport(found: found, path: path, console: console)
    if console.isJSON { try console.print(report.json.text) } else { try report.print() }
    console.warn(ofDamage: found.firstDamage, of: found.damageCount, in: path)
    return .yes
  }

  private func print() throws {
    var what = "\(Visible.text(found.name)): \(plural(found.eventCount, "event"))"
    if let last = found.last, found.eventCount > 1 {
      what += ", the last one \(last.id)"
    }
    if let at = found.last?.at { what += found.eventCount > 1 ? " at \(at)" : " of \(at)" }
    try console.print(what)
    var table = Table()
    table.add([Visible.text(path), "holds it"])
    for place in found.remotes { table.add([Visible.text(place.remote.address), text(place)]) }
    for line in table.lines(console) { try console.print(line) }
    if found.remotes.isEmpty {
      try console.print("No other place is known: no sync from here was noted.")
    }
  }

  private func text(_ place: ReplicationCoverage.RemoteCoverage) -> String {
    guard let success = place.remote.success else {
      return place.remote.failure == nil
        ? "isn't known to hold it: no sync from here was noted"
        : "isn't known to hold it: no sync from here has succeeded"
    }
    if place.lacking.isEmpty { return "held it at \(success.at)" }
    let all = place.lacking.count < found.eventCount ? "all of it" : "it"
    if place.remote.takesNothing {
      return "isn't known to hold \(all): it receives nothing, because its user was adopted"
    }
    return "isn't known to hold \(all): \(RemoteStatus.waits(place.lacking.count, place.oldest));"
      + " last synced at \(success.at)"
  }

  private var json: JSONValue {
    .sorted([
      .init(name: "what", value: .string(found.name)),
      .init(name: "eventCount", value: .count(found.eventCount)),
      .init(
        name: "last", value: found.last.map { .string($0.id.description) } ?? .null),
      .init(
        name: "places",
        value: .array(
          found.remotes.map { place in
            let isKnown = place.remote.success != nil
            return .sorted([
              .init(name: "address", value: .string(place.remote.address)),
              .init(name: "holds", value: .bool(isKnown && place.lacking.isEmpty)),
              .init(
                name: "heldCount",
                value: .count(isKnown ? found.eventCount - place.lacking.count : 0)),
              .init(
                name: "asOf",
                value: place.remote.success.map { .string($0.at.description) } ?? .null),
              .init(name: "status", value: .string(place.remote.word)),
            ])
          })),
    ])
  }
}
