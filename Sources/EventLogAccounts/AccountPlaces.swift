import EventLog

/// The places in use for an account, and how far the replication to each has come.
struct AccountPlaces {
  enum Place {
    /// The provider is asked for a remote next.
    case unasked(Past)
    /// The provider has no remote for now, and is asked again later.
    case refused(Replicator.Phase, Past, until: ContinuousClock.Instant)
    /// The events are replicated; `failingSince` until the place has shown that it works.
    case replicating(Replicator, failingSince: Timestamp?)
    /// The replicator is stopped, and then the provider is asked for its remote again.
    case outdated(Replicator, failingSince: Timestamp?)

    /// What is known while nothing is replicated.
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

  /// What is known of a place that is not replicated to.
  struct Past {
    var failingSince: Timestamp?
    var lastSynced: Timestamp?
    /// How often the provider has refused since it gave a remote last.
    var refusalCount = 0
  }

  /// What the account's person has chosen, as it was read last.
  var chosen: AccountsFile.Choice?
  /// In the app's order.
  private(set) var used: [(name: String, place: Place)] = []

  subscript(name: String) -> Place? {
    get { used.first { $0.name == name }?.place }
    set {
      guard let index = used.firstIndex(where: { $0.name == name }), let newValue else { return }
      used[index].place = newValue
    }
  }

  // MARK: - Changing

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

  /// Uses no place any more.
  ///
  /// - Returns: The replicators to stop.
  mutating func end() -> [Replicator] { use([]) }

  /// The providers to ask now.
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

  /// Lets all providers that have refused be asked now.
  mutating func askAgain() {
    for (name, place) in used {
      if case .refused(_, let past, _) = place { self[name] = .unasked(past) }
    }
  }

  /// Keeps the place from being used until its provider is asked again, after a delay.
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

  /// Lets the provider of a place that is replicated to be asked again.
  mutating func renew(_ name: String) {
    guard case .replicating(let replicator, let since) = self[name] else { return }
    self[name] = .outdated(replicator, failingSince: since)
  }

  /// Lets the providers of places that have stopped be asked again: their places may be others by
  /// now.
  ///
  /// - Returns: The other replicators.
  mutating func markStopped() -> [Replicator] {
    var running: [Replicator] = []
    for (name, place) in used {
      guard case .replicating(let replicator, _) = place else { continue }
      if replicator.hasStopped { renew(name) } else { running.append(replicator) }
    }
    return running
  }

  /// Lets the provider of a place be asked at once, unless a replicator syncs with the address.
  mutating func noteSync(with name: String, at address: String) {
    switch self[name] {
    case .replicating(let replicator, _)?:
      if replicator.statuses.first?.id != address { renew(name) }
    case .refused(_, let past, _)?: self[name] = .unasked(past)
    case .unasked?, .outdated?, nil: break
    }
  }

  // MARK: - Looking

  var statuses: [PlaceStatus] {
    used.map { name, place in
      PlaceStatus(provider: name, phase: place.status.phase, lastSynced: place.status.lastSynced)
    }
  }

  /// What is known of the places. A place that works is no longer failing.
  mutating func conditions() -> [String: ProviderPlan.Condition] {
    var conditions: [String: ProviderPlan.Condition] = [:]
    for (name, place) in used {
      switch place {
      case .unasked: break
      case .refused(let phase, let past, _): conditions[name] = .init(phase, past.failingSince)
      case .replicating(let replicator, let since), .outdated(let replicator, let since):
        guard let status = replicator.statuses.first else { continue }
        let condition = ProviderPlan.Condition(status)
        // It answers again, and has not shown yet that it works.
        conditions[name] =
          condition == .unknown ? since.map { .failing(since: $0) } ?? .unknown : condition
        if condition == .healthy, case .replicating = place {
          self[name] = .replicating(replicator, failingSince: nil)
        }
      }
    }
    return conditions
  }

  /// The rules that are broken, in sentences.
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
    // A place of another user is no place for this one, although syncs with it succeed.
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
