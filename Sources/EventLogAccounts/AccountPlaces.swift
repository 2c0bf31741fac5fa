import EventLog

/// The places in use for an account, and how far the replication to each has come.
struct AccountPlaces {
  enum Place {
    /// The provider is asked for a remote next.
    case unasked(failingSince: Timestamp?, lastSynced: Timestamp?)
    /// The provider has no remote for now.
    case refused(Replicator.Phase, since: Timestamp, lastSynced: Timestamp?)
    /// The events are replicated; `failingSince` until the place has shown that it works.
    case replicating(Replicator, failingSince: Timestamp?)
    /// The replicator is stopped, and then the provider is asked for its remote again.
    case outdated(Replicator, failingSince: Timestamp?)

    static let new = Place.unasked(failingSince: nil, lastSynced: nil)

    var failingSince: Timestamp? {
      switch self {
      case .unasked(let since, _), .replicating(_, let since), .outdated(_, let since): since
      case .refused(_, let since, _): since
      }
    }

    var status: (phase: Replicator.Phase, lastSynced: Timestamp?) {
      switch self {
      case .unasked(_, let time): (.waiting, time)
      case .refused(let phase, _, let time): (phase, time)
      case .replicating(let replicator, _), .outdated(let replicator, _):
        (replicator.statuses.first?.phase ?? .waiting, replicator.statuses.first?.lastSynced)
      }
    }

    mutating func refuse(_ phase: Replicator.Phase, at now: Timestamp) {
      self = .refused(phase, since: failingSince ?? now, lastSynced: status.lastSynced)
    }
  }

  var choice: ProviderChoice?
  /// In the app's order.
  private(set) var used: [(name: String, place: Place)]

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
    var next: [(name: String, place: Place)] = wanted.map { ($0, self[$0] ?? .new) }
    for (name, place) in used {
      switch place {
      case .outdated(let replicator, let since):
        unused.append(replicator)
        guard let index = next.firstIndex(where: { $0.name == name }) else { continue }
        next[index].place = .unasked(failingSince: since, lastSynced: place.status.lastSynced)
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

  /// The providers to ask.
  var unanswered: [String] {
    used.compactMap { name, place in
      switch place {
      case .unasked, .refused: name
      case .replicating, .outdated: nil
      }
    }
  }

  /// Lets the providers of places that have stopped be asked again: their places may be others by
  /// now.
  ///
  /// - Returns: The other replicators.
  mutating func markStopped() -> [Replicator] {
    var running: [Replicator] = []
    for index in used.indices {
      guard case .replicating(let replicator, let since) = used[index].place else { continue }
      if replicator.hasStopped {
        used[index].place = .outdated(replicator, failingSince: since)
      } else {
        running.append(replicator)
      }
    }
    return running
  }

  /// - Returns: Whether no replicator syncs with the address.
  mutating func noteSync(with provider: String, at address: String) -> Bool {
    guard case .replicating(let replicator, let since) = self[provider] else { return true }
    if replicator.statuses.first?.id == address { return false }
    self[provider] = .outdated(replicator, failingSince: since)
    return true
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
      case .refused(let phase, let since, _): conditions[name] = .init(phase, since)
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

  fileprivate init(_ phase: Replicator.Phase, _ since: Timestamp) {
    if case .stopped = phase { self = .stopped } else { self = .failing(since: since) }
  }
}
