import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

/// Events that a remote announces and doesn't have yet.
@Suite struct PendingTests {
  private let storage = MemoryStorage(pageCount: 3)
  private var remote: ObjectRemote { ObjectRemote(storage, random: .seeded(7)) }
  private var ranges: [String] { storage.names.filter { $0.hasSuffix(".jsonl") } }

  /// A phone that has put its events 1–2, 3 and 4 in three files, and a tablet that holds the first
  /// of them.
  private func devices() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let phone = try await TemporaryStore(device: "phone", records: Meal.self)
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self)
    for key in ["a", "b", "c"] {
      _ = try await phone.create(Meal.self, key: key)
      try await phone.sync(with: remote)
      if key == "a" { try await tablet.sync(with: remote) }
    }
    #expect(ranges.count == 3)
    return (phone, tablet)
  }

  private func text(_ ranges: [EventRange]) -> [String] {
    ranges.map { "\($0.first)–\($0.last)" }
  }

  @Test func `the events of a late file and those after it are pending`() async throws {
    let (phone, tablet) = try await devices()
    storage.hide([ranges[1]])
    for device in [tablet, try await TemporaryStore(device: "new", records: Meal.self)] {
      let plan = try await device.store.dryRunSync(with: remote)
      let report = try await device.sync(with: remote)
      // The events that depend on the late file are pending, too.
      #expect(text(report.pending) == ["3–4"] && plan.pending == report.pending)
      #expect(report.forks.isEmpty && report.refused.isEmpty)
    }
    // For a device that holds the events, nothing is late.
    #expect(try await phone.store.dryRunSync(with: remote).pending.isEmpty)
    storage.showAll()
    let report = try await tablet.sync(with: remote)
    #expect(report.pending.isEmpty && report.pulledCount == 2)
  }

  @Test func `the events of a cut or damaged file are pending`() async throws {
    let (_, tablet) = try await devices()
    let bytes = try #require(storage.objects[ranges[2]])
    for bad in [Array(bytes.dropLast(9)), bytes.enumerated().map { $0 == 40 ? $1 ^ 1 : $1 }, []] {
      storage.objects[ranges[2]] = bad
      let fresh = try await TemporaryStore(device: "new", records: Meal.self)
      let plan = try await fresh.store.dryRunSync(with: remote)
      let report = try await fresh.sync(with: remote)
      #expect(text(report.pending) == ["4–4"])
      #expect(plan.pending == report.pending, "\(plan.pulled) \(report.pulled)")
      #expect(report.pulledCount == 3)
    }
    #expect(try await !tablet.sync(with: remote).pending.isEmpty)
  }

  @Test func `the events of a renamed file are pending`() async throws {
    let (_, tablet) = try await devices()
    storage.objects["Copy of \(ranges[1])"] = storage.objects.removeValue(forKey: ranges[1])
    #expect(text(try await tablet.sync(with: remote).pending) == ["3–4"])
  }

  @Test func `a range that no frontier announces is pulled`() async throws {
    let (_, tablet) = try await devices()
    // The frontiers that name it are late.
    storage.hide(storage.names.filter { $0.contains("_frontier_") })
    let report = try await tablet.sync(with: remote)
    #expect(report.pending.isEmpty && report.pulledCount == 2)
  }

  @Test func `an event that has seen a late event is pending`() async throws {
    let (_, tablet) = try await devices()
    let late = ranges[2]
    try await tablet.sync(with: remote)
    _ = try await tablet.create(Meal.self, key: "d")
    try await tablet.sync(with: remote)
    storage.hide([late])
    let fresh = try await TemporaryStore(device: "new", records: Meal.self)
    let report = try await fresh.sync(with: remote)
    #expect(report.pending.map(\.description).joined(separator: " ").contains("tablet"))
    #expect(report.pending.contains { $0.device.text.hasPrefix("phone") && $0.first == 4 })
  }

  @Test func `another user's events aren't pending`() async throws {
    let (phone, _) = try await devices()
    let ben = try await TemporaryStore(device: "ben", user: "ben", records: Meal.self)
    _ = try await ben.create(Meal.self)
    let other = MemoryStorage()
    try await ben.sync(with: ObjectRemote(other, random: .seeded(9)))
    storage.objects.merge(other.objects) { $1 }
    #expect(try await phone.sync(with: remote).pending.isEmpty)
  }
}
