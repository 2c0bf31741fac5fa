package import EventLog
import EventLogSystem

/// The state of a replicator for a remote, kept over a restart of the app.
///
/// It is stored in the cache of the side folder, and may be lost at any time. The remote is then
/// tried at once, like a new one.
package struct ReplicatorMemory: Equatable {
  /// The next attempt, and the failure before it.
  package struct Retry: Equatable {
    package var at: Timestamp
    /// The delay before it, or nil if an earlier version wrote this.
    package var delay: Duration?
    package var because: EventLogError
    /// The time of the first failure since the last success.
    package var since: Timestamp

    package init(
      at: Timestamp, delay: Duration?, because: EventLogError, since: Timestamp
    ) {
      (self.at, self.delay, self.because, self.since) = (at, delay, because, since)
    }

    package static func == (one: Retry, other: Retry) -> Bool {
      one.at == other.at && one.because.code == other.because.code
    }
  }

  /// Whether the remote has ever had events. If so, an empty one is the wrong one, such as the
  /// mount point of a drive that isn't mounted.
  package var hasHeldEvents = false
  /// The number of consecutive failures.
  package var failureCount = 0
  package var retry: Retry?

  package init(hasHeldEvents: Bool = false) { self.hasHeldEvents = hasHeldEvents }
}

extension ReplicatorMemory {
  package init(of remote: String, in side: SideFolder) {
    self.init()
    if case .object(let object)? = side.kept("memory", in: "replicator", of: remote) {
      self = ReplicatorMemory(object) ?? self
    }
    // A sync by other means may have found or sent events since.
    if !hasHeldEvents { hasHeldEvents = side.hasHeldEvents(remote) }
  }

  /// Saves the state. If that fails, the next run of the app tries at once.
  package func keep(of remote: String, in side: SideFolder) {
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

extension Journal {
  /// Records why a sync with a remote failed, if it is one of the journal's remotes.
  ///
  /// - Parameter isRetried: Whether a replicator continues to sync with it. The replicator then
  ///   waits for as long as the remote asks.
  package func note(_ error: EventLogError, of remote: String, isRetried: Bool = false) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let now = JournalOptions().now
    side.note(error, of: remote, at: now, isKnown: isRetried)
    guard isRetried, let delay = error.retryAfter, wait(of: remote) == nil else { return }
    var memory = ReplicatorMemory(of: remote, in: side)
    memory.retry = .init(
      at: now.advanced(by: delay), delay: delay, because: error,
      since: memory.retry?.since ?? now)
    memory.keep(of: remote, in: side)
  }

  /// The failure of a remote that has asked a replicator to wait beyond now, or nil.
  package func wait(of remote: String) -> EventLogError? {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    guard let record = try? side.remoteRecord(of: remote), record.failure != nil,
      let retry = ReplicatorMemory(of: remote, in: side).retry,
      let requestedDelay = retry.because.retryAfter,
      // The system clock may have been changed.
      (1...max(1, requestedDelay.milliseconds)).contains(
        retry.at.milliseconds - JournalOptions().now.milliseconds)
    else { return nil }
    return retry.because
  }
}
