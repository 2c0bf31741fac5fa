import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Compaction that is refused, fails, or takes too long.
///
/// The sync succeeds anyway.
@Suite struct CompactionLimitTests {
  private static func device(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Meal.self, catalog: .standard)
  }

  @Test func `a sync without the right to delete transfers everything`() async throws {
    var storage = ScriptedStorage()
    storage.onRemove = { (_, _) throws(EventLogError) in throw ScriptedStorage.refused() }
    let devices = [try await Self.device("phone"), try await Self.device("tablet")]
    var notices: Set<String> = []
    for round in 0..<20 {
      for device in devices {
        _ = try await device.create(Meal.self, key: "\(device.name)-\(round)")
        let report = try await device.sync(with: ObjectRemote(storage))
        notices.formUnion(report.notices)
        let status = try #require(try device.journal.status().remoteStatuses.first)
        #expect(status.waitingCount == 0 && status.failure == nil)
        // One refusal per sync is enough.
        #expect(storage.takeCalls().filter { $0.hasPrefix("remove") }.count <= 1)
      }
    }
    #expect(notices.count == 1 && notices.first?.contains("it answered 403") == true, "\(notices)")
    let fresh = try await Self.device("fresh")
    try await fresh.sync(with: ObjectRemote(storage), .pull)
    #expect(try Set(fresh.lines()) == Set(devices.flatMap { try $0.lines() }))
  }

  @Test func `a sync succeeds if the compaction after it fails`() async throws {
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

  @Test func `a canceled compaction ends the sync`() async throws {
    let phone = try await Self.device("phone")
    var storage = ScriptedStorage()
    storage.onRemove = { (_, _) throws(EventLogError) in
      throw EventLogError(.canceled, "The sync was canceled.")
    }
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: ObjectRemote(storage))
    _ = try await phone.create(Meal.self)
    let code = await failureCode { () async throws(EventLogError) in
      try await phone.sync(with: ObjectRemote(storage))
    }
    #expect(code == .canceled)
  }

  /// The storage transfers 20 KB per second, and each call takes another 100 ms.
  @Test(arguments: [false, true])
  func `compaction of a slow remote is left to later syncs`(isRefused: Bool) async throws {
    let time = ManualTime()
    let refuses = Mutex(false)
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
    storage.onRemove = { (base, name) throws(EventLogError) in
      if refuses.withLock({ $0 }) { throw ScriptedStorage.refused() }
      try await base.remove(name)
    }
    let fast = ObjectRemote(storage, random: .seeded(7))
    let slow = ObjectRemote(storage, random: .seeded(7), now: { time.now })
    func appendHalfMegabyte(_ number: Int, to device: TemporaryStore) async throws {
      _ = try await device.store.append(
        (0..<50).map { key in
          EventDraft(
            type: "settings.changed",
            data: JSONObject([
              .init(name: "key\(key)", value: .string(String(repeating: "\(number)", count: 9_800)))
            ]))
        })
    }
    // Eight ranges of half a megabyte. The eighth one triggers a merge.
    for number in 0..<8 {
      try await appendHalfMegabyte(number, to: phone)
      if number == 7 { break }
      try await phone.sync(with: fast)
    }
    // The cache of read objects is lost.
    try await phone.reopen()
    if isRefused {
      // The read of another range shows that a merge takes too long, so removals begin at once.
      let tablet = try await Self.device("tablet")
      try await appendHalfMegabyte(8, to: tablet)
      try await tablet.sync(with: fast, .push)
      refuses.withLock { $0 = true }
    }
    let start = time.now
    let report = try await phone.sync(with: slow)
    #expect(report.pushedCount == 50)
    // The push itself takes 25 seconds.
    #expect(time.now - start < 25_000 + 20_000 + 27_000)
    let notice = isRefused ? "it answered 403" : "is too slow to be tidied up at once"
    #expect(report.notices.count == 1)
    #expect(report.notices.first?.contains(notice) == true, "\(report.notices)")
    #expect(storage.ranges.count == (isRefused ? 9 : 8))
    // A refusal pauses compaction.
    if isRefused { return }
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: fast)
    #expect(storage.ranges.contains { RangeName($0)!.range.count > 350 })
  }

  /// Each removal takes ten seconds.
  @Test func `slow removals of ranges and frontiers are left to later syncs`() async throws {
    let time = ManualTime()
    let bucket = HandmadeBucket()
    var storage = ScriptedStorage()
    storage.onRemove = { (base, name) throws(EventLogError) in
      time.pass(seconds: 10)
      try await base.remove(name)
    }
    var tablet = HandmadeDevice("tablet-aaaaaaaa")
    let lines = [tablet.join(user: "ada"), tablet.event()]
    bucket.put(lines)
    bucket.put(lines.prefix(1))
    for number in 1...16 { bucket.state([tablet.tip], number: Int64(number)) }
    storage.base.objects = bucket.storage.objects
    let desk = try await Self.device("desk")
    _ = try await desk.create(Meal.self)
    let report = try await desk.sync(
      with: ObjectRemote(storage, random: .seeded(7), now: { time.now }))
    #expect(report.pulledCount == 2 && report.pushedCount == 2)
    // Removed are the part of the range, and two frontiers.
    #expect(storage.takeCalls().filter { $0.hasPrefix("remove") }.count == 3)
    #expect(
      report.notices == ["\"far\" is too slow to be tidied up at once: the next sync continues."])
    _ = try await desk.create(Meal.self)
    #expect(try await desk.sync(with: ObjectRemote(storage)).notices.isEmpty)
    #expect(storage.frontiers.count == 1)
  }

  @Test func `many small files are merged and removed over several syncs`() async throws {
    let storage = ScriptedStorage()
    let remote = ObjectRemote(storage)
    let twin = ForkedDevice(common: 300, left: 0, right: 0)
    for line in twin.common {
      let event = ForkedDevice.event(line)
      let name = RangeName(EventRange(from: event.sequence, to: event), ForkedDevice.checksum(line))
      storage.base.objects[name.text] = line + [0x0A]
    }
    let desk = try await Self.device("desk")
    try await desk.sync(with: remote, .pull)
    _ = storage.takeCalls()
    var runs = 0
    while storage.ranges.count > 40, runs < 20 {
      _ = try await desk.create(Meal.self)
      try await desk.sync(with: remote)
      runs += 1
      let calls = storage.takeCalls().filter {
        $0.hasPrefix("remove") || $0 != "list" && !$0.contains("_frontier_")
      }
      // At most one read, one put of a new range, and the compaction budget.
      #expect(calls.count <= 1 + 1 + 64, "\(calls.count)")
    }
    #expect(runs > 4 && storage.ranges.count <= 40, "\(runs), \(storage.ranges.count)")
    let fresh = try await Self.device("fresh")
    try await fresh.sync(with: remote, .pull)
    #expect(try Set(fresh.lines()) == Set(desk.lines()))
  }
}
