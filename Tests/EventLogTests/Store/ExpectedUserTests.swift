import EventLogAccounts
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// Only written events decide to which user a new journal belongs.
@Suite struct ExpectedUserTests {
  private let folder: TemporaryFolder
  private let disk = InstrumentedFileSystem(machineIdentity: "desk")

  init() throws { folder = try TemporaryFolder() }

  private func options(_ device: String, user: String?, seed: UInt64) -> JournalOptions {
    .repeatable(
      device: device, user: user, clock: AdjustableClock(), seed: seed, fileSystem: disk)
  }

  /// A journal of `user`, written by a device with the same name.
  private func journal(of user: String, seed: UInt64) async throws -> JournalRemote {
    let path = folder.file("\(user).jsonl")
    let store = try await EventStore.open(
      path: path, options: options(user, user: user, seed: seed), catalog: .standard)
    _ = try await store.append([.theme("dark")])
    try await store.close()
    return JournalRemote(path: path)
  }

  private func unread() -> EventStore {
    EventStore.unread(
      path: folder.file("new.jsonl"), options: options("new", user: nil, seed: 9),
      catalog: .standard)
  }

  @Test func `a dry run doesn't decide the user of a journal`() async throws {
    let (ada, bob) = (
      try await journal(of: "ada", seed: 1), try await journal(of: "bob", seed: 2)
    )
    let store = unread()
    #expect(try await store.dryRunSync(with: bob).pulledCount == 2)
    #expect(
      await failureCode { () throws(EventLogError) in _ = try await store.append([.theme("light")])
      } != nil)
    #expect(try await store.sync(with: ada).pulledCount == 2)
    _ = try await store.append([.theme("light")])
    #expect(store.snapshot.user == "ada")
  }

  @Test func `a sync that fails to write doesn't decide the user of a journal`() async throws {
    let (ada, bob) = (
      try await journal(of: "ada", seed: 1), try await journal(of: "bob", seed: 2)
    )
    let store = unread()
    disk.failNext(.write, with: .noSpace, times: .max)
    #expect(
      await failureCode { () throws(EventLogError) in _ = try await store.sync(with: bob) }
        == .inputOutput)
    disk.stopFailing()
    #expect(try await store.sync(with: ada).pulledCount == 2)
    try await store.refresh()
    #expect(store.snapshot.user == "ada")
  }

  /// A failed append resets the known user while guest events arrive: the store reads it again.
  @Test func `a failed append during a sync with a guest doesn't change the user`() async throws {
    let path = folder.file("ada.jsonl")
    let guest = try await journal(of: "guest-1", seed: 3)
    let first = try await EventStore.open(
      path: path, options: options("desk", user: "ada", seed: 1), catalog: .standard)
    _ = try await first.append([.theme("light")])
    try await first.adopt(guest)
    try await first.close()
    let writing = try await EventStore.open(
      path: guest.path, options: options("old", user: "guest-1", seed: 4), catalog: .standard)
    _ = try await writing.append([.theme("blue")])

    let store = try await EventStore.open(
      path: path, options: options("desk", user: nil, seed: 2), catalog: .standard)
    _ = try await store.append([.theme("red")])
    var failures = 0
    for try await step in store.replication(with: guest, .pull) {
      guard case .planned = step else { continue }
      disk.failNext(.write, with: .noSpace, times: 3)
      failures +=
        await failureCode { () throws(EventLogError) in
          _ = try await store.append([.theme("green")])
        } == nil ? 0 : 1
      disk.stopFailing()
    }
    #expect(failures == 1)
    _ = try await store.append([.theme("yellow")])
    #expect(store.snapshot.user == "ada")
  }
}
