import EventLog
import EventLogAccounts
import EventLogRemotes
import EventLogTesting

/// Background replication, which must finish before the next step.
extension AccountWorld {
  /// The reason for a replication.
  enum Occasion {
    /// The account has just become current.
    case began
    /// The choice may have changed.
    case changed
    /// A sync with all remotes was requested.
    case requested
    /// The app has synced by itself, after which the replications check again.
    case noted
  }

  /// For each user, the answers of each provider.
  typealias Marks = [String: [DeviceProvider.Answers]]

  /// Returns the providers' answers so far to every possible user.
  func marks(_ device: SimulatedAccounts) -> Marks {
    var marks: Marks = [:]
    let users =
      AccountAction.Person.names + AccountAction.deviceNames.indices.map { "anonymous-\($0)" }
    for user in users { marks[user] = device.providers.map { $0.answers(to: user) } }
    return marks
  }

  /// Waits until the remotes in use have synced or were refused.
  func awaitReplication(
    _ device: SimulatedAccounts, _ occasion: Occasion, _ marks: Marks
  ) async throws(EventLogError) {
    let accounts = device.accounts!
    if accounts.current.isGuest { return }
    // An app asks the user for a choice as soon as it shows the account.
    if accounts.current.choice == nil { try await accounts.choose(.automatic) }
    for provider in device.providers { provider.open() }
    defer { for provider in device.providers { provider.close() } }
    let user = accounts.current.user
    let before = marks[user]!
    if occasion == .began { device.idleAnswers = before }
    func open() -> [ProviderStatus] {
      let answers = device.providers.map { $0.answers(to: user) }
      return accounts.current.places.filter { !isOver($0, device, occasion, before, answers) }
    }
    try await settle(device)
    for await _ in accounts.changes {
      let waiting = open()
      if waiting.isEmpty {
        // A status may be outdated, or require another provider.
        try await settle(device)
        if open().isEmpty { break }
      } else if waiting.contains(where: \.isRetrying) {
        // Force a retry that was scheduled before a restart.
        await accounts.syncNow()
      }
    }
    note(accounts.current.places, device)
  }

  /// Waits until the replication has checked all conditions again.
  private func settle(_ device: SimulatedAccounts) async throws(EventLogError) {
    // The first check may have started before this call, so wait for two.
    for _ in 0..<2 {
      let count = device.naps.count
      try await device.accounts.choose(device.accounts.current.choice ?? .automatic)
      await device.naps.wait(for: count + 1)
    }
  }

  private func isOver(
    _ status: ProviderStatus, _ device: SimulatedAccounts, _ occasion: Occasion,
    _ before: [DeviceProvider.Answers], _ now: [DeviceProvider.Answers]
  ) -> Bool {
    let index = SimulatedProvider.names.firstIndex(of: status.provider)!
    if case .syncing = status.phase { return false }
    if now[index].runs > device.idleAnswers[index].runs {
      if case .waiting = status.phase, status.lastSynced == nil { return false }
      switch occasion {
      case .began, .changed: return true
      // A stopped replication may be refused a new remote: checked below.
      case .requested where now[index].refusals > before[index].refusals: break
      case .requested: return now[index].runs > before[index].runs
      case .noted:
        return now[index].ownEnds == before[index].ownEnds || now[index].runs > before[index].runs
      }
    }
    guard now[index].refusals > before[index].refusals else { return false }
    switch status.phase {
    case .stopped, .retrying: return true
    default: return false
    }
  }

  /// Checks that a remote that is reported as synced holds all acknowledged events.
  private func note(_ statuses: [ProviderStatus], _ device: SimulatedAccounts) {
    let current = device.accounts.current
    for (index, provider) in device.providers.enumerated()
    where !statuses.contains(where: { $0.provider == provider.name }) {
      device.idleAnswers[index] = provider.answers(to: current.user)
    }
    for status in statuses where status.lastSynced == device.clock.now {
      totals.syncs += 1
      guard case .synced = status.phase, current.store.snapshot.eventCount > 0 else { continue }
      let provider = providers.first { $0.name == status.provider }!
      let missing = device.acknowledged[current.user, default: []]
        .subtracting(stored(current.user, provider))
      if let event = missing.min() {
        failures.append("\(status.provider) is synced with \(current.user), and lacks \(event)")
      }
    }
  }
}

extension ProviderStatus {
  fileprivate var isRetrying: Bool {
    if case .retrying = phase { true } else { false }
  }
}
