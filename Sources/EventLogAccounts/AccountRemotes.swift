import EventLog
import EventLogRemotes

/// The providers in use for an account, and the state of the replication to each.
struct AccountRemotes {
  enum ProviderState {
    /// The provider's remote is requested next.
    case pending(SyncRecord)
    /// The provider returned no remote. The request is retried at `until`.
    case failed(Replicator.Phase, SyncRecord, until: ContinuousClock.Instant)
    /// The events are being replicated.
    ///
    /// `failingSince` is the time of a failure from an earlier replication. It is cleared when the
    /// provider is healthy.
    case replicating(Replicator, failingSince: Timestamp?)
    /// The replicator must be stopped, and the provider's remote requested again.
    case stale(Replicator, failingSince: Timestamp?)

    /// The record to keep when the replication ends.
    var record: SyncRecord {
      switch self {
      case .pending(let record), .failed(_, let record, _): record
      case .replicating(_, let since), .stale(_, let since):
        SyncRecord(failingSince: since, lastSynced: status.lastSynced)
      }
    }

    var status: (phase: Replicator.Phase, lastSynced: Timestamp?) {
      switch self {
      case .pending(let record): (.waiting, record.lastSynced)
      case .failed(let phase, let record, _): (phase, record.lastSynced)
      case .replicating(let replicator, _), .stale(let replicator, _):
        (replicator.statuses.first?.phase ?? .waiting, replicator.statuses.first?.lastSynced)
      }
    }
  }

  /// The last known state of a provider that has no running replication.
  struct SyncRecord {
    var failingSince: Timestamp?
    var lastSynced: Timestamp?
    /// The number of failures since the provider last returned a remote.
    var failureCount = 0
  }

  /// The account's choice, as last read from `accounts.json`.
  var chosen: AccountsFile.Choice?
  /// The providers in use, in the app's order.
  private(set) var inUse: [(name: String, state: ProviderState)] = []

  subscript(name: String) -> ProviderState? {
    get { inUse.first { $0.name == name }?.state }
    set {
      guard let index = inUse.firstIndex(where: { $0.name == name }), let newValue else { return }
      inUse[index].state = newValue
    }
  }

  // MARK: - Changes

  /// Uses these providers, and no others.
  ///
  /// - Returns: The replicators to stop.
  mutating func use(_ wanted: [String]) -> [Replicator] {
    var stopped: [Replicator] = []
    var next: [(name: String, state: ProviderState)] = wanted.map {
      ($0, self[$0] ?? .pending(SyncRecord()))
    }
    for (name, state) in inUse {
      switch state {
      case .stale(let replicator, _):
        stopped.append(replicator)
        guard let index = next.firstIndex(where: { $0.name == name }) else { continue }
        next[index].state = .pending(state.record)
      case .replicating(let replicator, _) where !wanted.contains(name):
        stopped.append(replicator)
      case .replicating, .pending, .failed: break
      }
    }
    inUse = next
    return stopped
  }

  /// Stops using all providers.
  ///
  /// - Returns: The replicators to stop.
  mutating func stopAll() -> [Replicator] { use([]) }

  /// The providers whose remotes are to be requested now.
  var dueProviders: [String] {
    inUse.compactMap { name, state in
      switch state {
      case .pending: name
      case .failed(_, _, let time): time <= .now ? name : nil
      case .replicating, .stale: nil
      }
    }
  }

  /// The time until the next retry of a failed provider, or nil if none has failed.
  var timeUntilRetry: Duration? {
    inUse.compactMap { _, state in
      if case .failed(_, _, let time) = state { max(time - .now, .zero) } else { nil }
    }.min()
  }

  /// Makes the retries of all failed providers due now.
  mutating func retryFailed() {
    for (name, state) in inUse {
      if case .failed(_, let record, _) = state { self[name] = .pending(record) }
    }
  }

  /// Records that a provider returned no remote, and schedules a retry.
  mutating func recordFailure(
    _ name: String, because error: EventLogError, isFinal: Bool, at now: Timestamp,
    _ delay: (_ failureCount: Int) -> Duration
  ) {
    guard var record = self[name]?.record else { return }
    record.failingSince = record.failingSince ?? now
    record.failureCount += 1
    let delay = delay(record.failureCount)
    self[name] = .failed(
      isFinal ? .stopped(because: error) : .retrying(at: now.advanced(by: delay), because: error),
      record, until: .now + delay)
  }

  /// Marks a replication, so that it is stopped and the remote is requested again.
  mutating func markStale(_ name: String) {
    guard case .replicating(let replicator, let since) = self[name] else { return }
    self[name] = .stale(replicator, failingSince: since)
  }

  /// Marks the replications with final errors, because the user may have resolved them.
  mutating func markFailedStale() {
    for (name, state) in inUse {
      if case .stopped = state.status.phase { markStale(name) }
    }
  }

  /// Marks the replications that have stopped, because their remotes may have changed.
  ///
  /// - Returns: The replicators that are still running.
  mutating func markStoppedStale() -> [Replicator] {
    var running: [Replicator] = []
    for (name, state) in inUse {
      guard case .replicating(let replicator, _) = state else { continue }
      if replicator.hasStopped { markStale(name) } else { running.append(replicator) }
    }
    return running
  }

  /// Updates a provider's state after a sync at an address: requests the remote again, unless its
  /// replicator has the same address.
  mutating func recordSync(with name: String, at address: String) {
    switch self[name] {
    case .replicating(let replicator, _)?:
      if replicator.statuses.first?.id != address { markStale(name) }
    case .failed(_, let record, _)?: self[name] = .pending(record)
    case .pending?, .stale?, nil: break
    }
  }

  // MARK: - Status

  var statuses: [ProviderStatus] {
    inUse.map { name, state in
      ProviderStatus(provider: name, phase: state.status.phase, lastSynced: state.status.lastSynced)
    }
  }

  /// Returns the conditions of the providers, and clears `failingSince` of healthy ones.
  mutating func updateConditions() -> [String: ProviderPlan.Condition] {
    var conditions: [String: ProviderPlan.Condition] = [:]
    for (name, state) in inUse {
      switch state {
      case .pending: break
      case .failed(let phase, let record, _): conditions[name] = .init(phase, record.failingSince)
      case .replicating(let replicator, let since), .stale(let replicator, let since):
        guard let status = replicator.statuses.first else { continue }
        let condition = ProviderPlan.Condition(status)
        // The replicator has no result yet, so an earlier failure still counts.
        conditions[name] =
          condition == .unknown ? since.map { .failing(since: $0) } ?? .unknown : condition
        if condition == .healthy, case .replicating = state {
          self[name] = .replicating(replicator, failingSince: nil)
        }
      }
    }
    return conditions
  }

  /// Returns the invariants that don't hold, as sentences.
  ///
  /// - Parameter order: The app's providers.
  func brokenInvariants(_ order: [String]) -> [String] {
    let names = inUse.map(\.name)
    return names == order.filter(names.contains)
      ? [] : ["A provider in use is not the app's, or out of its order."]
  }
}

extension Replicator {
  fileprivate var hasStopped: Bool {
    switch statuses.first?.phase {
    case .stopped, .oneWay: true
    case nil, .waiting, .syncing, .synced, .pending, .retrying: false
    }
  }
}

extension ProviderPlan.Condition {
  fileprivate init(_ status: Replicator.Status) {
    switch status.phase {
    // A one-way remote doesn't keep this user's devices in sync, although syncs with it succeed.
    case .stopped, .oneWay: self = .stopped
    case .waiting, .syncing, .synced, .pending, .retrying:
      if let since = status.failingSince {
        self = .failing(since: since)
      } else {
        self = status.hasAnswered ? .healthy : .unknown
      }
    }
  }

  fileprivate init(_ phase: Replicator.Phase, _ since: Timestamp?) {
    if case .stopped = phase {
      self = .stopped
    } else {
      self = since.map { .failing(since: $0) } ?? .unknown
    }
  }
}
