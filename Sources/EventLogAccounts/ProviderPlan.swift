import EventLog

/// Selects the providers that an account uses, by their conditions.
///
/// Every place is a whole copy, and each sync compares it again. So switching to another place
/// moves nothing, and switching back loses nothing.
enum ProviderPlan {
  /// The observed condition of a provider.
  enum Condition: Hashable {
    /// It hasn't answered yet.
    case unknown
    /// It has answered, and isn't failing.
    case healthy
    /// It has been unreachable since this time.
    case failing(since: Timestamp)
    /// It doesn't work until a person resolves its error.
    case stopped
  }

  /// The time that a provider may be unreachable before the next one is used as well.
  static let failureTolerance: Duration = .seconds(3600)

  /// The providers in use, in the app's order.
  ///
  /// - Parameters:
  ///   - order: The names of all providers.
  ///   - conditions: The conditions by name. Missing ones are unknown.
  ///   - inUse: The providers in use now. Each stays in use until an earlier one is healthy.
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

  /// Whether a choice includes a provider.
  ///
  /// Without a choice, nothing is sent.
  static func allows(_ choice: ProviderChoice?, _ name: String) -> Bool {
    switch choice {
    case nil, .local: false
    case .automatic: true
    case .only(let only): only == name
    }
  }

  /// The time until the next failing provider exceeds ``patience``, or nil if none will.
  static func nextChange(_ conditions: [String: Condition], now: Timestamp) -> Duration? {
    conditions.values.compactMap { condition -> Duration? in
      guard case .failing(let since) = condition else { return nil }
      let rest = failureTolerance - .milliseconds(now.milliseconds - since.milliseconds)
      return rest > .zero ? rest : nil
    }.min()
  }
}
