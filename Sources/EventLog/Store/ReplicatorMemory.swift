/// What a replicator knows of a remote from one run of the app to the next.
///
/// It stands in the cache of the side folder, and may go at any time: then the remote is tried at
/// once, as a new one.
struct ReplicatorMemory: Equatable {
  /// The next attempt, and why it is one.
  struct Retry: Equatable {
    var at: Timestamp
    /// How long the wait for it is; nil where an earlier version has written this.
    var delay: Duration?
    var because: EventLogError
    /// The first failure since the last success.
    var since: Timestamp

    static func == (one: Retry, other: Retry) -> Bool {
      one.at == other.at && one.because.code == other.because.code
    }
  }

  /// Whether it held events once: one that holds none is then another place, as the folder is to
  /// which a stick was mounted.
  var hasHeldEvents = false
  /// How many attempts have failed one after the other.
  var failureCount = 0
  var retry: Retry?

  static func read(of remote: String, beside store: EventStore) async -> ReplicatorMemory {
    let side = store.side
    let memory = try? await store.worker.performQuietly { _ in
      side.replicatorMemory(of: remote).flatMap { ReplicatorMemory($0) }
        ?? ReplicatorMemory(hasHeldEvents: side.wasSynced(with: remote))
    }
    return memory ?? ReplicatorMemory()
  }

  /// Keeps it. Where that fails, the next run of the app tries at once.
  func write(of remote: String, beside store: EventStore) async {
    let side = store.side
    let json = json
    try? await store.worker.performQuietly { _ in side.keep(json, asReplicatorMemoryOf: remote) }
  }
}

extension EventStore {
  /// The folder beside the journal.
  var side: SideFolder { SideFolder(beside: path, fileSystem: options.fileSystem) }
}

extension ReplicatorMemory {
  private var json: JSONObject {
    var members: [JSONObject.Member] = [
      .init(name: "failures", value: .number(JSONNumber(Int64(failureCount)))),
      .init(name: "held", value: .bool(hasHeldEvents)),
    ]
    if let retry {
      members += [
        .init(name: "at", value: .string(retry.at.description)),
        .init(name: "delay", value: .number(JSONNumber((retry.delay ?? .zero).milliseconds))),
        .init(name: "since", value: .string(retry.since.description)),
        .init(name: "code", value: .string(retry.because.code.text)),
        .init(name: "message", value: .string(retry.because.message)),
      ]
      if let hint = retry.because.hint {
        members.append(.init(name: "hint", value: .string(hint)))
      }
    }
    return JSONObject(members)
  }

  init?(_ object: JSONObject) {
    guard case .number(let failures)? = object["failures"], let count = failures.integer,
      (0...1_000_000).contains(count), case .bool(let held)? = object["held"]
    else { return nil }
    (failureCount, hasHeldEvents) = (Int(count), held)
    guard case .string(let at)? = object["at"], let at = Timestamp(at),
      case .string(let code)? = object["code"], case .string(let message)? = object["message"]
    else { return }
    var since = at
    if case .string(let text)? = object["since"], let time = Timestamp(text) { since = time }
    var hint: String?
    if case .string(let text)? = object["hint"] { hint = text }
    var delay: Duration?
    if case .number(let number)? = object["delay"], let count = number.integer, count > 0 {
      delay = .milliseconds(min(count, 86_400_000))
    }
    retry = Retry(
      at: at, delay: delay,
      because: EventLogError(EventLogError.Code(kept: code), message, hint: hint), since: since)
  }
}
