import EventLog
import EventLogInspection

/// The remotes in the output of `eventlog status`.
struct RemotesReport {
  let places: [RemoteStatus]
  let console: Console

  func print() throws {
    if places.isEmpty { return }
    try console.print()
    var table = Table(["syncs with", "status"])
    for place in places {
      let name = Visible.text(place.address)
      for (index, line) in place.sentences.enumerated() {
        table.add([index == 0 ? name : "", line])
      }
    }
    for line in table.lines(console, indent: "") { try console.print(line) }
  }
}

extension RemoteStatus {
  /// The status in one word, for text and JSON.
  var word: String {
    switch status.phase {
    case .waiting: "unknown"
    case .syncing: "syncing"
    case .synced: "synced"
    case .oneWay: takesNothing ? "read" : "sent"
    case .pending: "pending"
    case .retrying: "retrying"
    case .stopped: "stopped"
    }
  }

  /// The status, then its reason and a hint.
  var sentences: [String] {
    var lines = ["\(word)\(state)"]
    guard let reason else { return lines }
    lines.append(Visible.text(reason.message))
    if let hint = reason.hint { lines.append("Hint: \(Visible.text(hint))") }
    return lines
  }

  /// Why the place isn't synced, unless events only wait for it.
  private var reason: EventLogError? {
    switch status.phase {
    case .oneWay(_, let reason), .retrying(_, let reason), .stopped(let reason): reason
    case .waiting, .syncing, .synced, .pending: nil
    }
  }

  private var state: String {
    switch status.phase {
    case .waiting, .syncing: ": no sync from here was noted; the next one tells"
    case .synced(let time): " at \(time)"
    case .oneWay(let time, _):
      waiting.isEmpty || takesNothing ? " at \(time)" : " at \(time); \(waits)"
    case .pending: ": \(waits); last synced at \(success?.at.description ?? "-")"
    case .retrying:
      ", failing since \(failure?.since.description ?? "-"); \(attempt)\(rest)"
    case .stopped:
      ", failing since \(failure?.since.description ?? "-")\(rest)"
    }
  }

  private var attempt: String {
    nextAttempt.map { "the next attempt is at \($0)" } ?? "the next sync tries again"
  }

  /// The waiting events and the last successful sync of a failing remote.
  private var rest: String {
    guard let success else { return "; never synced from here" }
    let last = "; last synced at \(success.at)"
    return waiting.isEmpty || takesNothing ? last : "; \(waits)\(last)"
  }

  /// The number of waiting events and the time of the oldest one.
  ///
  /// The time of the append, which may be much later, isn't known.
  var waits: String { Self.waits(waitingCount, oldest) }

  static func waits(_ count: Int, _ oldest: Timestamp?) -> String {
    let time = oldest.map { count == 1 ? ", of \($0)" : ", the oldest of \($0)" } ?? ""
    return "\(plural(count, "event")) \(count == 1 ? "waits" : "wait")\(time)"
  }

  var json: JSONValue {
    .sorted(members)
  }

  fileprivate var members: [JSONObject.Member] {
    var members: [JSONObject.Member] = [
      .init(name: "address", value: .string(address)),
      .init(name: "status", value: .string(word)),
      .init(name: "lastSynced", value: success.map { .string($0.at.description) } ?? .null),
      .init(name: "oneWay", value: success?.oneWay?.json ?? .null),
      .init(name: "waiting", value: .array(takesNothing ? [] : waiting.map(\.json))),
      .init(name: "waitingCount", value: .count(takesNothing ? 0 : waitingCount)),
      .init(
        name: "waitingSince",
        value: takesNothing ? .null : oldest.map { .string($0.description) } ?? .null),
    ]
    guard let failure else { return members }
    members += [
      .init(name: "failingSince", value: .string(failure.since.description)),
      .init(name: "error", value: failure.because.codeJSON),
      .init(name: "hint", value: failure.because.hint.map { .string($0) } ?? .null),
      .init(name: "nextAttempt", value: nextAttempt.map { .string($0.description) } ?? .null),
    ]
    return members
  }
}

extension SyncReport.OneWay {
  fileprivate var json: JSONValue {
    .sorted([
      .init(name: "adopted", value: adopted.map { .string($0) } ?? .null),
      .init(name: "direction", value: .string(direction == .pull ? "pull" : "push")),
    ])
  }
}

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
