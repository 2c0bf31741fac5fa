import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// A remote whose last frontier is lost or damaged.
@Suite struct LostFrontierTests {
  private let folder: TemporaryFolder
  private let phone: TemporaryStore
  private let storage = ScriptedStorage()
  private var remote: ObjectRemote { ObjectRemote(storage) }

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
    try await phone.sync(with: remote)
  }

  private func lose(_ isDamaged: Bool) throws {
    let name = try #require(storage.frontiers.first)
    if isDamaged { storage.base.objects[name]![3] ^= 1 } else { storage.base.objects[name] = nil }
  }

  /// Pulls into a new device that has no user of its own.
  private func restore() async throws -> Int64 {
    let store = EventStore.unread(
      path: folder.file("new.jsonl"), options: JournalOptions(), catalog: phone.catalog)
    return try await store.sync(with: remote).pulledCount
  }

  @Test(arguments: [true, false])
  func `a sync with nothing to push rewrites a lost frontier`(isDamaged: Bool) async throws {
    try lose(isDamaged)
    await #expect(throws: EventLogError.self) { try await restore() }
    let lost = storage.frontiers.first
    let report = try await phone.sync(with: remote)
    #expect(report.pushed.isEmpty && report.notices.count == 1, "\(report.notices)")
    #expect(report.notices.first?.contains(lost ?? "was written again") == true)
    #expect(try await restore() == 2)
    // The loss is reported once.
    #expect(try await phone.sync(with: remote).notices.isEmpty)
  }

  @Test func `a device that pulls all of a remote's events rewrites its frontier`() async throws {
    try lose(false)
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self)
    #expect(try await tablet.sync(with: remote).pulledCount == 2)
    #expect(try await restore() == 2)
  }

  @Test(arguments: [true, false])
  func `a sync rewrites the lost frontier of a shared folder`(isDamaged: Bool) async throws {
    let shared = FolderRemote(path: folder.file("Shared"))
    try await phone.sync(with: shared)
    let disk = SystemFileSystem()
    let names = try disk.contents(of: shared.address)
    let name = try #require(names.first { $0.hasSuffix(".json") })
    try disk.remove("\(shared.address)/\(name)")
    if isDamaged {
      let file = try disk.open("\(shared.address)/\(name)", .createNew)
      try disk.writeAll(file, Array("{}\n".utf8), at: 0)
      disk.close(file)
    }
    #expect(try await phone.sync(with: shared).notices.count == 1)
    let store = EventStore.unread(
      path: folder.file("new.jsonl"), options: JournalOptions(), catalog: phone.catalog)
    #expect(try await store.sync(with: shared).pulledCount == 2)
  }

  @Test(arguments: [true, false])
  func `a repair and a dry run report a lost frontier and write none`(
    isDamaged: Bool
  ) async throws {
    try lose(isDamaged)
    let before = storage.base.objects
    let repair = try await phone.journal.repair(from: remote, options: phone.options)
    #expect(repair.notices.count == 1 && repair.notices[0].contains("the next sync writes"))
    #expect(repair.isWhole)
    #expect(try await phone.store.dryRunSync(with: remote).notices == repair.notices)
    #expect(storage.base.objects == before)
  }

  @Test func `four damaged frontiers of a device are replaced`() async throws {
    let (name, content) = try #require(storage.base.objects.first { $0.key.hasSuffix(".json") })
    let writer = try #require(FrontierName(name)).writer
    for number in 1...4 {
      let frontier = FrontierName(writer, Int64(number), content: content)
      storage.base.objects[frontier.text] = Array("{}\n".utf8)
    }
    #expect(try await phone.sync(with: remote).notices.count == 4)
    #expect(storage.frontiers.count == 1)
    #expect(try await restore() == 2)
    #expect(try await phone.sync(with: remote).notices.isEmpty)
  }

  /// Pushes from another device, which leaves the phone's frontier in place.
  ///
  /// - Returns: The name of the device's frontier.
  private func addTablet() async throws -> String {
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self)
    _ = try await tablet.create(Meal.self)
    try await tablet.sync(with: remote, .push)
    return try #require(storage.frontiers.first { $0.hasPrefix("tablet") })
  }

  @Test func `a damaged frontier beside a readable one is reported until it is removed`()
    async throws
  {
    let name = try await addTablet()
    storage.base.objects[name]![3] ^= 1
    let repair = try await phone.journal.repair(from: remote, options: phone.options)
    #expect(repair.notices.count == 1, "\(repair.notices)")
    #expect(repair.notices.first?.contains("\"\(name)\" in \"far\"") == true)
    #expect(repair.notices.first?.contains("after all devices have synced, remove it") == true)
    for _ in 1...2 {
      #expect(try await phone.store.dryRunSync(with: remote).notices == repair.notices)
      #expect(try await phone.sync(with: remote).notices == repair.notices)
    }
    #expect(storage.frontiers.contains(name))
    storage.base.objects[name] = nil
    #expect(try await phone.sync(with: remote).notices.isEmpty)
  }

  @Test func `a device's own damaged frontier beside a readable one is replaced`() async throws {
    _ = try await addTablet()
    let name = try #require(storage.frontiers.first { $0.hasPrefix("phone") })
    storage.base.objects[name]![3] ^= 1
    let dry = try await phone.store.dryRunSync(with: remote).notices
    #expect(dry.count == 1 && dry.first?.contains("the next sync writes a new one") == true)
    let notices = try await phone.sync(with: remote).notices
    #expect(notices.count == 1 && notices.first?.contains("a new file replaces it") == true)
    #expect(!storage.frontiers.contains(name))
    #expect(try await phone.sync(with: remote).notices.isEmpty)
  }

  @Test func `a sync lists three times if a frontier always vanishes`() async throws {
    let name = try await addTablet()
    storage.base.letVanish([name])
    _ = storage.takeCalls()
    let report = try await phone.sync(with: remote)
    #expect(report.pulledCount == 2 && report.notices.count == 1, "\(report.notices)")
    let calls = storage.takeCalls()
    #expect(calls.filter { $0 == "read \(name)" }.count == 3)
    // A page with objects is followed by an empty one.
    #expect(calls.filter { $0 == "list" }.count == 2 * 3)
  }

  @Test
  func `a sync with a remote that refuses writes reports the refusal and continues`() async throws {
    try lose(false)
    var closed = ScriptedStorage()
    closed.base.objects = storage.base.objects
    closed.onPut = { (_, _, _) throws(EventLogError) in throw ScriptedStorage.refused() }
    let report = try await phone.sync(with: ObjectRemote(closed))
    #expect(report.notices.contains { $0.contains("it answered 403") })
  }

  @Test func `a device of another user writes no frontier for a remote`() async throws {
    try lose(false)
    let ben = try await TemporaryStore(device: "ben", user: "ben", records: Meal.self)
    let report = try await ben.sync(with: remote)
    #expect(report.pulled.isEmpty && storage.frontiers.isEmpty)
  }
}
