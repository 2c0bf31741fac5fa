import EventLog
import EventLogAccounts
import EventLogInspection
import EventLogTesting

/// The end of a simulation: all providers work, and all devices must converge.
extension AccountWorld {
  private struct Ended {
    let device: String
    let lines: [FullEventID: [UInt8]]
    let json: [UInt8]
  }

  func end() async throws(EventLogError) {
    step += 1
    for provider in providers { provider.set(.working) }
    var all = devices.sorted { $0.key < $1.key }.map(\.value)
    for device in all { device.clock.set(to: time.now) }
    let users = await users(of: all)
    let late = SimulatedAccounts(
      "late", MemoryFileSystem(machineIdentity: "late", clock: .fixed(0)),
      AdjustableClock(sharingTimeOf: time), catalog, providers)
    late.random.begin(seed ^ 0x1a7e)
    try await late.open()
    all.append(late)
    var ended: [String: [Ended]] = [:]
    for round in 0..<2 {
      for device in all {
        for user in device === late ? users : await self.users(of: [device]) {
          time.advance(by: .seconds(1))
          try await syncWell(device, user)
          if round == 1 { ended[user, default: []].append(try self.ended(device)) }
        }
      }
    }
    checkRemotes()
    for device in all { try await check(device) }
    for user in users { compare(ended[user] ?? [], user, all) }
    for device in all { try await device.close() }
  }

  private func users(of devices: [SimulatedAccounts]) async -> [String] {
    var users: Set<String> = []
    for device in devices {
      for account in await device.accounts.all where !account.isGuest { users.insert(account.user) }
    }
    return users.sorted()
  }

  private func syncWell(
    _ device: SimulatedAccounts, _ user: String
  ) async throws(EventLogError) {
    let (marks, before) = (marks(device), device.user)
    try await device.accounts.signIn(
      as: user, isAnonymous: user.hasPrefix("anonymous"), guest: .leave)
    if before == user { await device.accounts.syncNow() }
    try await awaitReplication(device, before == user ? .requested : .began, marks)
    // Sync with each provider once. The choice stays, so the next round starts with the other one.
    let synced = device.accounts.current.places.filter { $0.lastSynced == device.clock.now }
    for name in SimulatedProvider.names where !synced.contains(where: { $0.provider == name }) {
      let marks = self.marks(device)
      try await device.accounts.choose(.only(name))
      try await awaitReplication(device, .changed, marks)
    }
  }

  private func ended(_ device: SimulatedAccounts) throws(EventLogError) -> Ended {
    var lines: [FullEventID: [UInt8]] = [:]
    let store = device.store
    if store.snapshot.eventCount > 0 {
      let journal = Journal(
        path: store.path, catalog: catalog, fileSystem: device.memory, user: device.user)
      _ = try journal.replay { event, line in
        lines[event.fullID] = line
        return true
      }
    }
    return Ended(device: device.name, lines: lines, json: store.snapshot.json())
  }

  private func compare(
    _ ended: [Ended], _ user: String, _ devices: [SimulatedAccounts]
  ) {
    guard let last = ended.last else { return }
    for other in ended {
      if let event = Set(last.lines.keys).symmetricDifference(other.lines.keys).min() {
        let who = last.lines[event] == nil ? other.device : last.device
        failures.append("in the end only \(who) has \(event) of \(user)")
      } else if other.lines != last.lines {
        failures.append("in the end \(other.device) has different lines of \(user)")
      } else if other.json != last.json, !last.lines.isEmpty {
        // Without events, one of the states may contain a user given in advance.
        failures.append("in the end \(other.device) shows a different state of \(user)")
      }
    }
    for provider in providers {
      let held = stored(user, provider)
      if let event = Set(last.lines.keys).subtracting(held).min() {
        failures.append("in the end \(provider.name) lacks \(event) of \(user)")
      }
    }
    for device in devices {
      let missing = device.acknowledged[user, default: []].subtracting(last.lines.keys)
      if let event = missing.min() {
        failures.append("\(event) of \(user) was acknowledged, and does not count in the end")
      }
    }
  }
}
