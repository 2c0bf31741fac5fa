import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

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
  func `a sync doesn't recreate a vanished folder`(exists: Bool) async throws {
    #expect(try await phone.sync(with: shared).pushedCount == 2)
    try disk.rename(shared.address, to: folder.file("away"))
    if exists { try disk.makeFolder(shared.address) }
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
    #expect(((try? disk.status(at: shared.address)) != nil) == exists)
    if exists { try disk.remove(shared.address) }
    try disk.rename(folder.file("away"), to: shared.address)
    #expect(try await phone.sync(with: shared).pushedCount == 1)
  }

  @Test func `a sync doesn't recreate a vanished journal until it is forgotten`() async throws {
    let path = folder.file("far.jsonl")
    let far = JournalRemote(path: path, options: JournalOptions(deviceName: "far"))
    try await phone.sync(with: far)
    try disk.rename(path, to: folder.file("away.jsonl"))
    for readsAll in [false, true] {
      let error = await #expect(throws: EventLogError.self) {
        try await phone.store.sync(with: far, readingAll: readsAll)
      }
      #expect(error?.code == .noJournal && error?.message.contains(path) == true)
    }
    #expect((try? disk.status(at: path)) == nil)
    try phone.journal.forget(path)
    #expect(try await phone.sync(with: far).pushedCount == 2)
  }

  @Test func `a replicator doesn't recreate a vanished journal`() async throws {
    let path = folder.file("far.jsonl")
    let far = JournalRemote(path: path, options: JournalOptions(deviceName: "far"))
    try await phone.sync(with: far)
    try disk.rename(path, to: folder.file("away.jsonl"))
    let replicator = phone.store.replicate(with: [far])
    var failure: EventLogError?
    for await statuses in replicator.updates {
      switch statuses[0].phase {
      case .stopped(let error), .retrying(_, let error): failure = error
      case .waiting, .syncing, .synced, .oneWay, .pending: continue
      }
      break
    }
    await replicator.stop()
    #expect(failure?.code == .noJournal)
    #expect((try? disk.status(at: path)) == nil)
  }

  @Test func `an empty folder that a pull has found may be filled`() async throws {
    phone.journal.remember(shared.address)
    try disk.makeFolder(shared.address)
    #expect(try await phone.sync(with: shared, .pull).pulledCount == 0)
    #expect(try await phone.sync(with: shared).pushedCount == 2)
  }

  @Test func `a sync recreates a forgotten folder`() async throws {
    try await phone.sync(with: shared)
    try disk.rename(shared.address, to: folder.file("away"))
    try phone.journal.forget(shared.address)
    #expect(try await phone.sync(with: shared).pushedCount == 2)
  }
}
