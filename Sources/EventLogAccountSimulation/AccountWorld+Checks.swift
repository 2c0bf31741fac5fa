import EventLog
import EventLogAccounts
import EventLogTesting

/// The checks after each step.
extension AccountWorld {
  func check(_ device: SimulatedAccounts) async throws(EventLogError) {
    var held: [String: Set<FullEventID>] = [:]
    var counting: [String: Set<FullEventID>] = [:]
    let known = await device.accounts.all
    for path in device.journals {
      let lines = lines.read(device.bytes(path))
      if lines.isEmpty { continue }
      guard let user = known.first(where: { $0.path == path })?.user else {
        failures.append("\(device.name) has a journal that nobody knows: \(path)")
        continue
      }
      held[user] = Set(lines.map(\.id))
      checkOwners(held[user]!, of: user, "the journal of \(user) on \(device.name)")
      if known.contains(where: { $0.user == user && $0.adoptedBy != nil }) {
        // A batch that was never completed isn't adopted.
        let byID = Dictionary(lines.map { ($0.id, $0) }) { first, _ in first }
        counting[user] = ReferenceHistories.counting(byID)
      }
    }
    for (user, events) in device.acknowledged.sorted(by: { $0.key < $1.key }) {
      if let event = events.subtracting(held[user] ?? []).min() {
        failures.append("\(event) was acknowledged to \(user), and is gone from \(device.name)")
      }
    }
    for account in known {
      guard let user = account.adoptedBy, let events = counting[account.user] else { continue }
      if let event = events.subtracting(held[user] ?? []).min() {
        failures.append("\(user) has adopted \(account.user) on \(device.name), without \(event)")
      }
    }
    checkState(device)
  }

  /// Checks that all events were written by the user or adopted.
  private func checkOwners(_ events: Set<FullEventID>, of user: String, _ remote: String) {
    let allowed = adopted[user] ?? []
    let strange = events.filter { event in
      lines.joined[event.device]?.contains(user) != true && !allowed.contains(event)
    }
    guard let event = strange.min() else { return }
    let who = lines.joined[event.device]?.sorted().joined(separator: ", ") ?? "nobody"
    failures.append("\(remote) has \(event) of \(who)")
  }

  /// Compares the state with the brute-force reference.
  private func checkState(_ device: SimulatedAccounts) {
    let (store, user) = (device.store, device.user)
    let bytes = device.bytes(store.path)
    // Skip a state that hasn't changed since the last check.
    let isSame = device.checked?.path == store.path && device.checked?.bytes == bytes
    if isSame, device.checked?.state == store.snapshot.json() { return }
    device.checked = (store.path, bytes, store.snapshot.json())
    let held = lines.read(bytes)
    if let difference = difference(held, user, store.snapshot) {
      failures.append("\(user) on \(device.name) \(difference)")
    }
  }

  func difference(_ held: [ReferenceLine], _ user: String, _ snapshot: Snapshot) -> String? {
    if held.isEmpty { return snapshot.eventCount == 0 ? nil : "shows events that are not there" }
    let histories = ReferenceHistories(held, user: user)
    let catalog = catalog
    let state = ReferenceState(Reference(histories) { $0.line.effects(catalog) })
    if state.frontier != snapshot.frontier.tips { return "must have a different frontier" }
    let (expected, found) = (state.report, faults.alter(snapshot.report))
    if expected == found { return nil }
    if let missing = Set(expected).subtracting(found).min() { return "must show: \(missing)" }
    return "must not show: \(Set(found).subtracting(expected).min() ?? "something twice")"
  }

  // MARK: - Storages

  /// The events in a user's storage.
  func stored(_ user: String, _ provider: SimulatedProvider) -> Set<FullEventID> {
    var events: Set<FullEventID> = []
    guard let storage = provider.storages[user] else { return events }
    // No call has used the storage since the last look.
    if let known = looks[storage.address], known.calls == storage.callCount { return known.events }
    for (name, bytes) in storage.objects where name.hasSuffix(".jsonl") {
      events.formUnion(lines.read(object: "\(storage.address)/\(name)", bytes))
    }
    looks[storage.address] = (storage.callCount, events)
    return events
  }

  func checkRemotes() {
    for provider in providers {
      for user in provider.storages.keys.sorted() {
        let (now, remote) = (stored(user, provider), "\(provider.name)/\(user)")
        if let event = (stored[remote] ?? []).subtracting(now).min() {
          failures.append("\(event) is gone from \(remote)")
        }
        if now != stored[remote] { checkOwners(now, of: user, remote) }
        stored[remote] = now
      }
    }
  }

  /// A digest of the events in all journals and storages.
  var digest: String {
    var sum: UInt64 = 0
    for (number, device) in devices {
      for events in device.acknowledged.values { sum &+= lines.hash(events) &* UInt64(number + 3) }
    }
    for events in stored.values { sum &+= lines.hash(events) }
    return String(sum, radix: 36)
  }
}
