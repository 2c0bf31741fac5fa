import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Devices with random actions and syncs converge.
@Suite struct DevicePropertyTests {
  @Test func `devices with random actions and syncs converge`() async throws {
    var conflictCount = 0
    for seed in RandomRounds(6) {
      var generator = SplitMix64(seed: seed)
      let count = Int.random(in: 2...5, using: &generator)
      let devices = try await Devices.meet(
        (0..<count).map { "device\($0)" }, records: Meal.self, seed: seed)
      if Bool.random(using: &generator) {
        devices[0].clock.set(to: Timestamp("2031-01-01T00:00:00Z")!)
      }
      // Ensures that the journals aren't empty.
      _ = try await devices[0].create(Meal.self, key: "oats")
      for _ in 0..<60 {
        try await RandomMeals.act(on: devices.randomElement(using: &generator)!, &generator)
        guard Int.random(in: 0..<5, using: &generator) == 0 else { continue }
        let pair = devices.shuffled(using: &generator).prefix(2)
        try await check(pair[0], meets: pair[1], seed)
      }
      try await Devices.syncAll(devices.shuffled(using: &generator))
      let first = devices[0].snapshot
      conflictCount += first.conflicts.count
      for device in devices {
        let state = device.snapshot
        #expect(state.frontier == first.frontier, "EVENTLOG_SEED=\(seed)")
        #expect(state.conflicts == first.conflicts, "EVENTLOG_SEED=\(seed)")
        #expect(state.json() == first.json(), "EVENTLOG_SEED=\(seed)")
        #expect(try differences(between: first, and: device) == [], "EVENTLOG_SEED=\(seed)")
        #expect(try device.journal.verify().problems.isEmpty, "EVENTLOG_SEED=\(seed)")
        // A device's state in memory must equal that of its journal.
        #expect(try differences(between: device.journal, and: device) == [])
      }
    }
    #expect(conflictCount > 0)
  }

  /// Checks that a sync makes both states equal, and reports exactly the new conflicts.
  private func check(
    _ device: TemporaryStore, meets other: TemporaryStore, _ seed: UInt64
  ) async throws {
    let before = device.snapshot
    let report = try await device.sync(with: other)
    #expect(report.refused.isEmpty, "EVENTLOG_SEED=\(seed)")
    // Without events, a state contains a user only if one was given.
    if device.snapshot.eventCount + other.snapshot.eventCount > 0 {
      #expect(device.snapshot.json() == other.snapshot.json(), "EVENTLOG_SEED=\(seed)")
    }
    #expect(device.snapshot.eventCount == before.eventCount + Int(report.pulledCount))
    let known = Set(
      before.conflicts.flatMap { conflict in
        conflict.candidates.map { "\(conflict.id) \($0.event)" }
      })
    let unknown = device.snapshot.conflicts.filter { conflict in
      conflict.candidates.contains { !known.contains("\(conflict.id) \($0.event)") }
    }
    #expect(report.newConflicts == unknown, "EVENTLOG_SEED=\(seed)")
    if report.pulled.isEmpty { #expect(report.newConflicts.isEmpty) }
  }
}
