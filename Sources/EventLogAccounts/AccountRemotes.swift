import EventLog

/// The places in use for an account, and the state of the replication to each.
struct AccountRemotes {
  enum Place {
    /// The provider is asked for a remote next.
    case unasked(Past)
    /// The provider returned no remote, and is asked again at `until`.
    case refused(Replicator.Phase, Past, until: ContinuousClock.Instant)
    /// The events are replicated.
    ///
    /// `failingSince` is cleared when the place is healthy.
    case replicating(Replicator, failingSince: Timestamp?)
    /// The replicator is to be stopped, and then the provider to be asked for its remote again.
    case outdated(Replicator, failingSince: Timestamp?)

    /// The history of the place, to keep when its replication ends.
    var past: Past {
      switch self {
      case .unasked(let past), .refused(_, let past, _): past
      case .replicating(_, let since), .outdated(_, let since):
        Past(failingSince: since, lastSynced: status.lastSynced)
      }
    }

    var status: (phase: Replicator.Phase, lastSynced: Timestamp?) {
      switch self {
      case .unasked(let past): (.waiting, past.lastSynced)
      case .refused(let phase, let past, _): (phase, past.lastSynced)
      case .replicating(let replicator, _), .outdated(let replicator, _):
        (replicator.statuses.first?.phase ?? .waiting, replicator.statuses.first?.lastSynced)
      }
    }
  }

  /// The history of a place without a replication.
  struct Past {
    var failingSince: Timestamp?
    var lastSynced: Timestamp?
    /// The number of refusals since the provider last returned a remote.
    var refusalCount = 0
  }

  /// The account's choice, as last read from `accounts.json`.
  var chosen: AccountsFile.Choice?
  /// The places in use, in the app's order.
  private(set) var used: [(name: String, place: Place)] = []

  subscript(name: String) -> Place? {
    get { used.first { $0.name == name }?.place }
    set {
      guard let index = used.firstIndex(where: { $0.name == name }), let newValue else { return }
      used[index].place = newValue
    }
  }

  // MARK: - Changes

  /// Uses these providers, and no others.
  ///
  /// - Returns: The replicators to stop.
  mutating func use(_ wanted: [String]) -> [Replicator] {
    var unused: [Replicator] = []
    var next: [(name: String, place: Place)] = wanted.map { ($0, self[$0] ?? .unasked(Past())) }
    for (name, place) in used {
      switch place {
      case .outdated(let replicator, _):
        unused.append(replicator)
        guard let index = next.firstIndex(where: { $0.name == name }) else { continue }
        next[index].place = .unasked(place.past)
      case .replicating(let replicator, _) where !wanted.contains(name):
        unused.append(replicator)
      case .replicating, .unasked, .refused: break
      }
    }
    used = next
    return unused
  }

  /// Stops using all places.
  ///
  /// - Returns: The replicators to stop.
  mutating func end() -> [Replicator] { use([]) }

  /// The providers to ask for a remote now.
  var unanswered: [String] {
    used.compactMap { name, place in
      switch place {
      case .unasked: name
      case .refused(_, _, let time): time <= .now ? name : nil
      case .replicating, .outdated: nil
      }
    }
  }

  /// The time until a provider is asked again, or nil if none has refused.
  var nextQuestion: Duration? {
    used.compactMap { _, place in
      if case .refused(_, _, let time) = place { max(time - .now, .zero) } else { nil }
    }.min()
  }

  /// Marks all refused places, so that their providers are asked now.
  mutating func askAgain() {
    for (name, place) in used {
      if case .refused(_, let past, _) = place { self[name] = .unasked(past) }
    }
  }

  /// Records a refusal, so that the provider is asked again only after a delay.
  mutating func refuse(
    _ name: String, because error: EventLogError, isFinal: Bool, at now: Timestamp,
    _ delay: (_ refusalCount: Int) -> Duration
  ) {
    guard var past = self[name]?.past else { return }
    past.failingSince = past.failingSince ?? now
    past.refusalCount += 1
    let delay = delay(past.refusalCount)
    self[name] = .refused(
      isFinal ? .stopped(because: error) : .retrying(at: now.advanced(by: delay), because: error),
      past, until: .now + delay)
  }

  /// Marks a replicated place, so that its provider is asked for the remote again.
  mutating func renew(_ name: String) {
    guard case .replicating(let replicator, let since) = self[name] else { return }
    self[name] = .outdated(replicator, failingSince: since)
  }

  /// Marks places whose errors were final, because a person may have resolved them.
  mutating func renewStopped() {
    for (name, place) in used {
      if case .stopped = place.status.phase { renew(name) }
    }
  }

  /// Marks stopped places, so that their providers are asked again: their remotes may have changed.
  ///
  /// - Returns: The replicators of the other places.
  mutating func markStopped() -> [Replicator] {
    var running: [Replicator] = []
    for (name, place) in used {
      guard case .replicating(let replicator, _) = place else { continue }
      if replicator.hasStopped { renew(name) } else { running.append(replicator) }
    }
    return running
  }

  /// Marks a place, so that its provider is asked now, unless its replicator has the address.
  mutating func noteSync(with name: String, at address: String) {
    switch self[name] {
    case .replicating(let replicator, _)?:
      if replicator.statuses.first?.id != address { renew(name) }
    case .refused(_, let past, _)?: self[name] = .unasked(past)
    case .unasked?, .outdated?, nil: break
    }
  }

  // MARK: - Status

  var statuses: [ProviderStatus] {
    used.map { name, place in
      ProviderStatus(provider: name, phase: place.status.phase, lastSynced: place.status.lastSynced)
    }
  }

  /// Returns the conditions of the places, and clears `failingSince` of healthy ones.
  mutating func conditions() -> [String: ProviderPlan.Condition] {
    var conditions: [String: ProviderPlan.Condition] = [:]
    for (name, place) in used {
      switch place {
      case .unasked: break
      case .refused(let phase, let past, _): conditions[name] = .init(phase, past.failingSince)
      case .replicating(let replicator, let since), .outdated(let replicator, let since):
        guard let status = replicator.statuses.first else { continue }
        let condition = ProviderPlan.Condition(status)
        // The replicator has no answer yet, so an earlier failure still counts.
        conditions[name] =
          condition == .unknown ? since.map { .failing(since: $0) } ?? .unknown : condition
        if condition == .healthy, case .replicating = place {
          self[name] = .replicating(replicator, failingSince: nil)
        }
      }
    }
    return conditions
  }

  /// The broken invariants, as sentences.
  ///
  /// - Parameter order: The app's providers.
  func broken(_ order: [String]) -> [String] {
    let names = used.map(\.name)
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
