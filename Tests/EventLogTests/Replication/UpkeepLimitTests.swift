import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// Upkeep that is refused, fails or takes long: it fails no sync, and ends.
@Suite struct UpkeepLimitTests {
  private static func device(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Meal.self, catalog: .standard)
  }

  @Test func `without the right to delete everything crosses`() async throws {
    var storage = ScriptedStorage()
    storage.onRemove = { (_, _) throws(EventLogError) in throw ScriptedStorage.refused() }
    let devices = [try await Self.device("phone"), try await Self.device("tablet")]
    var notices: Set<String> = []
    for round in 0..<20 {
      for device in devices {
        _ = try await device.create(Meal.self, key: "\(device.name)-\(round)")
        let report = try await device.sync(with: ObjectRemote(storage))
        notices.formUnion(report.notices)
        let place = try #require(try device.journal.status().knownPlaces.first)
        #expect(place.waitingCount == 0 && place.failure == nil)
        // One refusal is enough for a run.
        #expect(storage.takeCalls().filter { $0.hasPrefix("remove") }.count <= 1)
      }
    }
    #expect(notices.count == 1 && notices.first?.contains("it answered 403") == true, "\(notices)")
    let fresh = try await Self.device("fresh")
    try await fresh.sync(with: ObjectRemote(storage), .pull)
    #expect(try Set(fresh.lines()) == Set(devices.flatMap { try $0.lines() }))
  }

  @Test func `a place that fails after the events have crossed fails no sync`() async throws {
    let phone = try await Self.device("phone")
    var storage = ScriptedStorage()
    storage.onPut = { (base, name, bytes) throws(EventLogError) in
      if (RangeName(name)?.range.count ?? 0) > 2 {
        throw EventLogError(remoteFailed: "\"far\" failed: the connection broke.")
      }
      return try await base.put(name, bytes)
    }
    for number in 0..<8 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      #expect(try await phone.sync(with: ObjectRemote(storage)).pushedCount > 0)
    }
    #expect(storage.frontiers.count > 0 && storage.ranges.count == 8)
  }

  @Test func `a canceled upkeep ends the sync`() async throws {
    let phone = try await Self.device("phone")
    var storage = ScriptedStorage()
    storage.onRemove = { (_, _) throws(EventLogError) in
      throw EventLogError(.cancelled, "The sync was cancelled.")
    }
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: ObjectRemote(storage))
    _ = try await phone.create(Meal.self)
    let code = await failureCode { () async throws(EventLogError) in
      try await phone.sync(with: ObjectRemote(storage))
    }
    #expect(code == .cancelled)
  }

  /// 20 KB in a second, and another tenth for each call.
  @Test func `a slow place is not tidied up at once`() async throws {
    let time = ManualTime()
    let phone = try await Self.device("phone")
    var storage = ScriptedStorage()
    storage.onPut = { (base, name, bytes) throws(EventLogError) in
      time.pass(milliseconds: 100 + Int64(bytes.count / 20))
      return try await base.put(name, bytes)
    }
    storage.onRead = { (base, name) throws(EventLogError) in
      let bytes = try await base.read(name)
      time.pass(milliseconds: 100 + Int64((bytes?.count ?? 0) / 20))
      return bytes
    }
    let fast = ObjectRemote(storage, random: .seeded(7))
    let slow = ObjectRemote(storage, random: .seeded(7), now: { time.now })
    // Eight ranges of half a megabyte: the eighth of them joins them.
    for number in 0..<8 {
      _ = try await phone.store.append(
        (0..<50).map { key in
          EventDraft(
            type: "settings.changed",
            data: JSONObject([
              .init(name: "key\(key)", value: .string(String(repeating: "\(number)", count: 9_800)))
            ]))
        })
      if number == 7 { break }
      try await phone.sync(with: fast)
    }
    // What was read before is not at hand.
    try await phone.reopen()
    let start = time.now
    let report = try await phone.sync(with: slow)
    #expect(report.pushedCount == 50)
    // The push itself takes 25 seconds.
    #expect(time.now - start < 25_000 + 20_000 + 27_000)
    #expect(
      report.notices == ["\"far\" is too slow to be tidied up at once: the next sync continues."])
    #expect(storage.ranges.count == 8)
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: fast)
    #expect(storage.ranges.contains { RangeName($0)!.range.count > 350 })
  }

  @Test func `many small files are joined and removed over several syncs`() async throws {
    let storage = ScriptedStorage()
    let place = ObjectRemote(storage)
    let twin = ForkedDevice(common: 300, left: 0, right: 0)
    for line in twin.common {
      let event = ForkedDevice.event(line)
      let name = RangeName(EventRange(from: event.sequence, to: event), ForkedDevice.checksum(line))
      storage.base.objects[name.text] = line + [0x0A]
    }
    let desk = try await Self.device("desk")
    try await desk.sync(with: place, .pull)
    _ = storage.takeCalls()
    var runs = 0
    while storage.ranges.count > 40, runs < 20 {
      _ = try await desk.create(Meal.self)
      try await desk.sync(with: place)
      runs += 1
      let calls = storage.takeCalls().filter { $0 != "list" && !$0.contains("_frontier_") }
      // What was read before, one range of its own, and the budget.
      #expect(calls.count <= 1 + 1 + 64, "\(calls.count)")
    }
    #expect(runs > 4 && storage.ranges.count <= 40, "\(runs), \(storage.ranges.count)")
    let fresh = try await Self.device("fresh")
    try await fresh.sync(with: place, .pull)
    #expect(try Set(fresh.lines()) == Set(desk.lines()))
  }
}
