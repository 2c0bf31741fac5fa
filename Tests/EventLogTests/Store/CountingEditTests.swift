import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

/// Concurrent edits of counters and sets by two devices: merging keeps all changes.
@Suite(.tags(.random)) struct CountingEditTests {
  /// The state after merging.
  private struct Expected {
    var servings = 0
    var tags: Set<String> = []
  }

  @Test func `concurrent edits of a counter on two devices add up`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self, catalog: .standard)
    let oats = try await phone.create(Food.self) { $0.servings += 2 }.id
    try await phone.sync(with: tablet)
    try await phone.edit(oats) { $0.servings += 1 }
    try await tablet.edit(oats) { $0.servings += 1 }
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.isEmpty)
    #expect(phone.snapshot[oats]?.servings.value == 4 && tablet.snapshot[oats]?.servings.value == 4)
  }

  @Test func `an edit as of an older snapshot adds only its own change`() async throws {
    let store = try await TemporaryStore(records: Food.self, catalog: .standard)
    let oats = try await store.create(Food.self) { $0.servings += 2 }.id
    let shown = store.snapshot
    try await store.add(5, to: \.servings, of: oats)
    try await store.edit(oats, asOf: shown) { $0.servings += 1 }
    #expect(store.snapshot[oats]?.servings.value == 8)
  }

  @Test func `setting a counter as of an older snapshot is refused if it has changed since`()
    async throws
  {
    let store = try await TemporaryStore(records: Food.self, Habit.self, catalog: .standard)
    let oats = try await store.create(Food.self) { $0.servings += 2 }.id
    let shown = store.snapshot
    try await store.set(\.servings, of: oats, to: 9)
    #expect(store.snapshot[oats]?.servings.value == 9)
    let code = await failureCode { () throws(EventLogError) in
      try await store.set(\.servings, of: oats, to: 1, asOf: shown)
    }
    #expect(code == .changedMeanwhile)
    let read = try await store.create(Habit.self) { $0.name = "Read" }.id
    let day = Day("2026-01-28")!
    try await store.add(5, to: \.progress, of: read, on: day)
    try await store.set(\.progress, of: read, on: day, to: 3)
    try await store.edit(read, on: day) { $0.progress += 9 }
    #expect(store.snapshot[read, day].progress.value == 12)
    let types = try store.events().map(\.type).filter { $0.hasPrefix("completion") }
    #expect(types == ["completion.advanced", "completion.recorded", "completion.advanced"])
  }

  @Test func `random edits on two devices lose no counted amount`() async throws {
    for seed in RandomRounds(20) {
      var generator = SplitMix64(seed: seed)
      let pair = try await Devices.meet(
        ["phone", "tablet"], records: Food.self, catalog: .standard)
      let oats = try await pair[0].create(Food.self) { $0.servings += 1000 }.id
      try await pair[0].sync(with: pair[1])
      var expected = Expected(servings: 1000)
      for step in 0..<30 {
        let index = Int.random(in: 0..<2, using: &generator)
        let device = pair[index]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: try await pair[0].sync(with: pair[1])
        case 1...3:
          // Each tag belongs to one device, so a concurrent insertion can't win over a removal.
          let tag = "\(index)-\(step % 3)"
          let isIn = Bool.random(using: &generator)
          if isIn { expected.tags.insert(tag) } else { expected.tags.remove(tag) }
          try await device.edit(oats) { food in
            if isIn { food.tags.insert(tag) } else { food.tags.remove(tag) }
          }
        default:
          let amount = Int.random(in: -20...20, using: &generator)
          expected.servings += amount
          try await device.edit(oats) { $0.servings += amount }
        }
      }
      try await pair[0].sync(with: pair[1])
      for device in pair {
        let food = try #require(device.snapshot[oats])
        try #require(food.servings.value == expected.servings, "EVENTLOG_SEED=\(seed)")
        try #require(food.tags == expected.tags, "EVENTLOG_SEED=\(seed)")
      }
      #expect(pair[0].snapshot.conflicts.isEmpty)
    }
  }
}
