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
}

extension EventStore {
  /// The folder beside the journal.
  var side: SideFolder { SideFolder(beside: path, fileSystem: options.fileSystem) }
}

extension ReplicatorMemory {
  init(of remote: String, in side: SideFolder) {
    self =
      side.replicatorMemory(of: remote).flatMap { ReplicatorMemory($0) }
      ?? ReplicatorMemory(hasHeldEvents: side.wasSynced(with: remote))
  }

  /// Keeps it. If that fails, the next run of the app tries at once.
  func keep(of remote: String, in side: SideFolder) {
    side.keep(.object(json), as: "memory", in: "replicator", of: remote)
  }

  private var json: JSONObject {
    var object = retry?.because.json ?? [:]
    object["failures"] = .number(JSONNumber(Int64(failureCount)))
    object["held"] = .bool(hasHeldEvents)
    guard let retry else { return object }
    object["at"] = .string(retry.at.description)
    object["delay"] = .number(JSONNumber((retry.delay ?? .zero).milliseconds))
    object["since"] = .string(retry.since.description)
    return object
  }

  init?(_ object: JSONObject) {
    guard let count = object["failures"]?.integer, (0...1_000_000).contains(count),
      case .bool(let held)? = object["held"]
    else { return nil }
    (failureCount, hasHeldEvents) = (Int(count), held)
    guard let at = object["at"]?.plainText.flatMap({ Timestamp($0) }),
      let because = EventLogError(object)
    else { return }
    let delay = object["delay"]?.integer.flatMap { $0 > 0 ? min($0, 86_400_000) : nil }
    retry = Retry(
      at: at, delay: delay.map { .milliseconds($0) }, because: because,
      since: object["since"]?.plainText.flatMap { Timestamp($0) } ?? at)
  }
}
