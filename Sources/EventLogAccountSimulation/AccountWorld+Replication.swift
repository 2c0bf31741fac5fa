import EventLog
import EventLogAccounts
import EventLogTesting

/// What replicates behind the app comes to its end before the next step.
extension AccountWorld {
  /// Why replications run.
  enum Occasion {
    /// The account has just become current.
    case began
    /// The choice has changed, or nothing.
    case changed
    /// All were asked to.
    case asked
    /// The app has synced by itself, whereupon they look again.
    case noted
  }

  /// Per user what each provider had answered.
  typealias Marks = [String: [DeviceProvider.Answers]]

  /// What the providers have answered so far to anybody who may be current next.
  func marks(_ device: SimulatedAccounts) -> Marks {
    var marks: Marks = [:]
    let users =
      AccountAction.Person.names + AccountAction.deviceNames.indices.map { "anonymous-\($0)" }
    for user in users { marks[user] = device.providers.map { $0.answers(to: user) } }
    return marks
  }

  /// Waits until the places in use have been synced, or have refused.
  func awaitReplication(
    _ device: SimulatedAccounts, _ occasion: Occasion, _ marks: Marks
  ) async throws(EventLogError) {
    let accounts = device.accounts!
    if accounts.current.isGuest { return }
    // The person is asked as soon as the account is shown.
    if accounts.current.choice == nil { try await accounts.choose(.automatic) }
    for provider in device.providers { provider.open() }
    defer { for provider in device.providers { provider.close() } }
    let user = accounts.current.user
    let before = marks[user]!
    if occasion == .began { device.unused = before }
    func open() -> [PlaceStatus] {
      let answers = device.providers.map { $0.answers(to: user) }
      return accounts.current.places.filter { !isOver($0, device, occasion, before, answers) }
    }
    try await settle(device)
    for await _ in accounts.changes {
      let waiting = open()
      if waiting.isEmpty {
        // A status may have been an old one, or ask for a further place.
        try await settle(device)
        if open().isEmpty { break }
      } else if waiting.contains(where: \.isRetrying) {
        // What waits since before a restart can be hurried.
        await accounts.syncNow()
      }
    }
    note(accounts.current.places, device)
  }

  /// Lets the replication look at all conditions once more.
  private func settle(_ device: SimulatedAccounts) async throws(EventLogError) {
    // The first may be waited for by a look that had begun before.
    for _ in 0..<2 {
      let count = device.naps.count
      try await device.accounts.choose(device.accounts.current.choice ?? .automatic)
      await device.naps.wait(for: count + 1)
    }
  }

  private func isOver(
    _ place: PlaceStatus, _ device: SimulatedAccounts, _ occasion: Occasion,
    _ before: [DeviceProvider.Answers], _ now: [DeviceProvider.Answers]
  ) -> Bool {
    let index = SimulatedProvider.names.firstIndex(of: place.provider)!
    if case .syncing = place.phase { return false }
    if now[index].runs > device.unused[index].runs {
      if case .waiting = place.phase, place.lastSynced == nil { return false }
      switch occasion {
      case .began, .changed: return true
      // Where it had stopped, the provider may refuse another remote.
      case .asked where now[index].refusals > before[index].refusals: break
      case .asked: return now[index].runs > before[index].runs
      case .noted:
        return now[index].ownEnds == before[index].ownEnds || now[index].runs > before[index].runs
      }
    }
    guard now[index].refusals > before[index].refusals else { return false }
    switch place.phase {
    case .stopped, .retrying: return true
    default: return false
    }
  }

  /// What is said to be synced now has to be there.
  private func note(_ places: [PlaceStatus], _ device: SimulatedAccounts) {
    let current = device.accounts.current
    for (index, provider) in device.providers.enumerated()
    where !places.contains(where: { $0.provider == provider.name }) {
      device.unused[index] = provider.answers(to: current.user)
    }
    for place in places where place.lastSynced == device.clock.now {
      totals.syncs += 1
      guard case .synced = place.phase, current.store.snapshot.eventCount > 0 else { continue }
      let provider = providers.first { $0.name == place.provider }!
      let missing = device.acknowledged[current.user, default: []]
        .subtracting(stored(current.user, provider))
      if let event = missing.min() {
        failures.append("\(place.provider) is synced with \(current.user), and lacks \(event)")
      }
    }
  }
}

extension PlaceStatus {
  fileprivate var isRetrying: Bool {
    if case .retrying = phase { true } else { false }
  }
}
