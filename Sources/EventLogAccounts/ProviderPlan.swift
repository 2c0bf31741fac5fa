import EventLog

/// Selects the providers that an account uses, by their conditions.
///
/// Every remote has a full copy of the events, and each sync compares it with the journal. So
/// switching to another provider moves no data, and switching back loses none.
enum ProviderPlan {
  /// The observed condition of a provider.
  enum Condition: Hashable {
    /// It hasn't responded yet.
    case unknown
    /// It has responded, and isn't failing.
    case healthy
    /// It has been unreachable since this time.
    case failing(since: Timestamp)
    /// It doesn't work until the user resolves its error.
    case stopped
  }

  /// The time after which a failing provider is supplemented by the next one.
  static let failureTolerance: Duration = .seconds(3600)

  /// Returns the providers to use, in the app's order.
  ///
  /// - Parameters:
  ///   - order: The names of all providers.
  ///   - conditions: The conditions by name. A missing one is unknown.
  ///   - inUse: The providers currently in use. Each stays in use until an earlier one is healthy.
  static func providers(
    isGuest: Bool, choice: ProviderChoice?, order: [String], conditions: [String: Condition],
    inUse: [String] = [], now: Timestamp
  ) -> [String] {
    if isGuest { return [] }
    let order = order.filter { allows(choice, $0) }
    guard case .automatic = choice else { return order }
    var used: [String] = []
    var isEnough = false
    for name in order where !isEnough || inUse.contains(name) {
      used.append(name)
      switch conditions[name] ?? .unknown {
      case .healthy: return used
      case .unknown: isEnough = true
      case .stopped: break
      case .failing(let since):
        let milliseconds = now.milliseconds - since.milliseconds
        if Duration.milliseconds(milliseconds) < failureTolerance { isEnough = true }
      }
    }
    return used
  }

  /// Returns whether a choice includes a provider.
  ///
  /// Without a choice, nothing is sent.
  static func allows(_ choice: ProviderChoice?, _ name: String) -> Bool {
    switch choice {
    case nil, .local: false
    case .automatic: true
    case .only(let only): only == name
    }
  }

  /// Returns the time until a failing provider reaches ``failureTolerance``, or nil if none will.
  static func nextChange(_ conditions: [String: Condition], now: Timestamp) -> Duration? {
    conditions.values.compactMap { condition -> Duration? in
      guard case .failing(let since) = condition else { return nil }
      let rest = failureTolerance - .milliseconds(now.milliseconds - since.milliseconds)
      return rest > .zero ? rest : nil
    }.min()
  }
}
