import EventLog
import EventLogInspection

extension SimulatedWorld {
  /// Restarts the app on a device as a later version.
  func update(_ device: SimulatedDevice, to version: Int) async throws(EventLogError) {
    try await device.close()
    try await device.store.reopen(with: catalogs[version])
    // The shown state belongs to a closed app.
    device.look = nil
    device.hasUnreadDamage = false
  }

  /// Closes and reopens the app and checks that it shows the same state.
  func reopen(_ device: SimulatedDevice) async throws(EventLogError) {
    // Refresh first, so that events of another store don't count as a difference.
    try await device.refresh()
    let (before, isSound) = (device.store.snapshot, !device.hasUnreadDamage)
    if let second = device.second {
      try await device.refresh(second)
      // Before the first event, only one store may have the journal's future user.
      if before.eventCount > 0, isSound, second.snapshot.json() != before.json() {
        failures.append(
          "a second store of \(device.name) shows a different state: "
            + (try difference(before, second.snapshot)))
      }
    }
    try await device.close()
    try await device.store.reopen()
    device.hasUnreadDamage = false
    let after = device.store.snapshot
    if isSound, before.eventCount > 0 || after.eventCount > 0, after.json() != before.json() {
      failures.append(
        "\(device.name) shows a different state after a restart: "
          + (try difference(before, after)))
    }
  }

  /// Reads a journal in every way and checks that all results agree.
  func inspect(_ device: SimulatedDevice) async throws(EventLogError) {
    try await device.refresh()
    let state = device.store.snapshot
    if state.eventCount == 0 || device.hasUnreadDamage { return }
    let json = state.json()
    let whole = try device.store.journal(usingCheckpoint: false).snapshot().snapshot
    if whole.json() != json {
      failures.append(
        "\(device.name) shows a different state than its journal, read again: "
          + (try difference(state, whole)))
    }
    if try device.store.journal.snapshot().snapshot.json() != json {
      failures.append("\(device.name) shows a different state than its journal with a checkpoint")
    }
    var events: Set<FullEventID> = []
    var count = 0
    try device.store.replay { event, _ in
      events.insert(event.fullID)
      count += 1
    }
    let report = try device.store.journal.verify()
    if count != events.count || count != state.eventCount || count != report.eventCount {
      failures.append(
        "\(device.name) contains \(state.eventCount) events, replays \(count), \(events.count) of"
          + " them different, and verifies \(report.eventCount)")
    }
    let status = try device.store.journal.status()
    if status.frontier != state.frontier || status.eventCount != state.eventCount {
      failures.append("the status of \(device.name) shows a different frontier")
    }
  }

  /// Describes the difference between two states.
  private func difference(_ left: Snapshot, _ right: Snapshot) throws(EventLogError) -> String {
    if left.frontier != right.frontier {
      return "\(left.frontier.tips) and \(right.frontier.tips)"
    }
    return try differences(between: left, and: right).prefix(3).map(\.description)
      .joined(separator: "; ")
  }
}
