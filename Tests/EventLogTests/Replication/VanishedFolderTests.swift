import EventLogTesting
import Testing

@testable import EventLog

/// A shared folder that no longer exists.
@Suite struct VanishedFolderTests {
  private let folder: TemporaryFolder
  private let phone: TemporaryStore
  private let disk = SystemFileSystem()
  private var shared: FolderRemote { FolderRemote(path: folder.file("Shared")) }

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
  }

  /// The folder may also exist but be empty, such as the mount point of a removed stick.
  @Test(arguments: [true, false])
  func `a sync doesn't recreate a vanished folder`(isThere: Bool) async throws {
    #expect(try await phone.sync(with: shared).pushedCount == 2)
    try disk.rename(shared.address, to: folder.file("away"))
    if isThere { try disk.makeFolder(shared.address) }
    _ = try await phone.create(Meal.self)
    for directions in [ReplicationPlan.Directions.both, .push, .pull] {
      let error = await #expect(throws: EventLogError.self) {
        try await phone.sync(with: shared, directions)
      }
      #expect(error?.code == .noJournal && error?.message.contains(shared.address) == true)
      await #expect(throws: EventLogError.self) {
        try await phone.store.dryRunSync(with: shared, directions)
      }
      #expect(((try? disk.contents(of: shared.address)) ?? []).isEmpty)
    }
    await #expect(throws: EventLogError.self) {
      try await phone.store.sync(with: shared, readingAll: true)
    }
    #expect(((try? disk.status(at: shared.address)) != nil) == isThere)
    if isThere { try disk.remove(shared.address) }
    try disk.rename(folder.file("away"), to: shared.address)
    #expect(try await phone.sync(with: shared).pushedCount == 1)
  }

  @Test
  func `reading all of a vanished journal fails, and a plain sync recreates it`() async throws {
    let path = folder.file("far.jsonl")
    let far = JournalRemote(path: path, options: JournalOptions(deviceName: "far"))
    try await phone.store.sync(with: far, readingAll: true)
    try disk.rename(path, to: folder.file("away.jsonl"))
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.sync(with: far, readingAll: true)
    }
    #expect(error?.code == .noJournal)
    #expect((try? disk.status(at: path)) == nil)
    #expect(try await phone.sync(with: far).pushedCount == 2)
  }

  @Test func `a sync recreates a forgotten folder`() async throws {
    try await phone.sync(with: shared)
    try disk.rename(shared.address, to: folder.file("away"))
    try phone.journal.forget(shared.address)
    #expect(try await phone.sync(with: shared).pushedCount == 2)
  }
}
