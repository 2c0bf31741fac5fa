import EventLog
import EventLogInspection
import EventLogRemotes

/// The remotes in the output of `eventlog status`.
struct RemotesReport {
  let remotes: [RemoteStatus]
  let console: Console

  func print() throws {
    if remotes.isEmpty { return }
    try console.print()
    var table = Table(["syncs with", "status"])
    for remote in remotes {
      let name = Visible.text(remote.address)
      for (index, line) in remote.sentences.enumerated() {
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

  /// The reason why the remote isn't synced, or nil if events only wait for the next sync.
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
      .init(name: "error", value: failure.error.codeJSON),
      .init(name: "hint", value: failure.error.hint.map { .string($0) } ?? .null),
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
