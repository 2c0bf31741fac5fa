import EventLog
import EventLogTesting
import Testing

/// Devices that do anything and meet anyhow come to agree.
@Suite struct DevicePropertyTests {
  private static let keys = ["oats", "milk", "rice"]
  private static let day = Day("2026-01-28")!

  /// Does something at random; what the state at hand does not allow is left out.
  private func act(
    on device: TemporaryStore, _ generator: inout SplitMix64
  ) async throws {
    let key = Self.keys.randomElement(using: &generator)!
    let meal = ID<Meal>(key)!
    let number = Int.random(in: 0...4, using: &generator)
    let tag = ["sweet", "grain"].randomElement(using: &generator)!
    let action = Int.random(in: 0..<12, using: &generator)
    do throws(EventLogError) {
      switch action {
      case 0: _ = try await device.create(Meal.self, key: key) { $0.kcal = number }
      case 1, 2: try await device.edit(meal) { $0.kcal = number }
      case 3: try await device.edit(meal) { $0.servings = number }
      case 4: try await device.add(number - 2, to: \.servings, of: meal)
      case 5: try await device.include(tag, in: \.tags, of: meal)
      case 6: try await device.exclude(tag, from: \.tags, of: meal)
      case 7: try await device.delete(meal)
      case 8: try await device.restore(meal)
      case 9: try await device.edit(meal, on: Self.day) { $0.mood = tag }
      case 10: try await device.add(number, to: \.ml, of: meal, on: Self.day)
      default:
        guard let conflict = device.snapshot.conflicts.randomElement(using: &generator) else {
          return
        }
        let candidate = conflict.candidates.randomElement(using: &generator)!
        try await device.resolve(conflict, taking: candidate.event)
      }
    } catch {
      let expected: [EventLogError.Code] = [.noEntity, .deletedEntity, .entityExists]
      guard expected.contains(error.code) else { throw error }
    }
  }

  @Test func `devices with random actions and meetings converge`() async throws {
    var conflictCount = 0
    for seed in RandomRounds(6) {
      var generator = SplitMix64(seed: seed)
      let count = Int.random(in: 2...5, using: &generator)
      let devices = try await Devices.meet(
        (0..<count).map { "device\($0)" }, records: Meal.self, seed: seed)
      if Bool.random(using: &generator) {
        devices[0].clock.set(to: Timestamp("2031-01-01T00:00:00Z")!)
      }
      for _ in 0..<60 {
        try await act(on: devices.randomElement(using: &generator)!, &generator)
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
        // What a device keeps in memory is what its journal says.
        #expect(try differences(between: device.journal, and: device) == [])
      }
    }
    #expect(conflictCount > 0)
  }

  /// A meeting leaves both with the same, and reports just the conflicts that were not there.
  private func check(
    _ device: TemporaryStore, meets other: TemporaryStore, _ seed: UInt64
  ) async throws {
    let before = device.snapshot
    let report = try await device.sync(with: other)
    #expect(report.refused.isEmpty, "EVENTLOG_SEED=\(seed)")
    #expect(device.snapshot.json() == other.snapshot.json(), "EVENTLOG_SEED=\(seed)")
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
