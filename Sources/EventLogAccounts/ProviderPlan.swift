import EventLog

/// Which providers an account uses, by what is known of each.
///
/// Every place is a whole copy and is compared anew by each run. So going over to another one moves
/// nothing, and coming back loses nothing.
enum ProviderPlan {
  /// What is known of a provider.
  enum Condition: Hashable {
    /// Nothing yet.
    case unknown
    /// It holds what the journal held a moment ago.
    case healthy
    /// It cannot be reached, since then.
    case failing(since: Timestamp)
    /// It does not work until somebody does something.
    case stopped
  }

  /// How long a provider may be unreachable before the next one is used as well.
  static let patience: Duration = .seconds(3600)

  /// The providers in use, in the app's order.
  ///
  /// - Parameters:
  ///   - order: the names of all providers.
  ///   - conditions: what is known of them; nothing of those that are missing.
  ///   - inUse: those that are in use now: none is let go of before an earlier one works.
  static func providers(
    isGuest: Bool, choice: ProviderChoice?, order: [String], conditions: [String: Condition],
    inUse: [String] = [], now: Timestamp
  ) -> [String] {
    if isGuest { return [] }
    switch choice {
    // Nothing is sent before the person has chosen.
    case nil, .local: return []
    case .only(let name): return order.filter { $0 == name }
    case .automatic: break
    }
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
        if Duration.milliseconds(milliseconds) < patience { isEnough = true }
      }
    }
    return used
  }

  /// When the answer may change although nothing else does; nil for never.
  static func nextChange(_ conditions: [String: Condition], now: Timestamp) -> Duration? {
    conditions.values.compactMap { condition -> Duration? in
      guard case .failing(let since) = condition else { return nil }
      let rest = patience - .milliseconds(now.milliseconds - since.milliseconds)
      return rest > .zero ? rest : nil
    }.min()
  }
}
