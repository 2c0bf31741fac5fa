import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts
@testable import EventLogRemotes

/// A provider choice that one process makes and another process follows.
@Suite struct SharedChoiceTests {
  private let memory = MemoryFileSystem()

  /// A process that has synced an account, and a second process with the same account.
  private func processes(
    _ provider: any Provider
  ) async throws -> (first: AccountProcess, second: AccountProcess) {
    let first = try await AccountProcess(memory, 1, [provider])
    try await first.accounts.signIn(as: "ada")
    try await first.accounts.choose(.automatic)
    try await first.write("soup")
    for await account in first.accounts.changes where account.places.first?.lastSynced != nil {
      break
    }
    #expect(await first.accounts.eventsOnlyHere() == 0)
    let second = try await AccountProcess(memory, 2)
    #expect(second.current.choice == .automatic)
    return (first, second)
  }

  private func close(_ processes: AccountProcess...) async throws {
    for process in processes { try await process.accounts.close() }
  }

  @Test func `syncing stops after another process keeps the account on the device`() async throws {
    let cloud = TestProvider("cloud")
    let (first, second) = try await processes(cloud)
    try await second.accounts.choose(.local)
    try await second.write("secret")
    try await first.current.store.refresh()
    let count = first.current.store.snapshot.eventCount
    #expect(await first.accounts.eventsOnlyHere() == count)
    #expect(!cloud.storage(of: "ada").contains("secret"))
    try await close(first, second)
  }

  @Test func `a replicator adopts another process's choice at the next sync`() async throws {
    let cloud = TestProvider("cloud")
    let (first, second) = try await processes(cloud)
    try await second.accounts.choose(.local)
    try await second.write("secret")
    await first.accounts.syncNow()
    for await account in first.accounts.changes
    where account.places.isEmpty || cloud.storage(of: "ada").contains("secret") { break }
    #expect(first.current.choice == .local && first.current.places.isEmpty)
    #expect(!cloud.storage(of: "ada").contains("secret"))

    try await second.accounts.choose(.automatic)
    await first.accounts.syncNow()
    for await account in first.accounts.changes where account.places.first?.lastSynced != nil {
      break
    }
    #expect(await first.accounts.eventsOnlyHere() == 0 && first.current.choice == .automatic)
    #expect(cloud.storage(of: "ada").contains("secret"))
    try await close(first, second)
  }

  @Test func `a running sync doesn't send events appended after a local choice`() async throws {
    let storage = InterruptedStorage()
    let (first, second) = try await processes(StorageProvider("cloud") { _ in storage })
    try await first.write("stew")
    storage.interruptNextListing {
      do throws(EventLogError) {
        try await second.accounts.choose(.local)
        try await second.write("secret")
      } catch {
        Issue.record("\(error)")
      }
    }
    _ = await first.accounts.eventsOnlyHere()
    #expect(second.current.choice == .local && !storage.base.contains("secret"))
    try await close(first, second)
  }

  @Test func `signing in again follows the choice that another process made`() async throws {
    let cloud = TestProvider("cloud")
    let first = try await AccountProcess(memory, 1, [cloud])
    try await first.accounts.signIn(as: "ada")
    let second = try await AccountProcess(memory, 2, [cloud])
    try await second.accounts.choose(.local)
    try await first.accounts.signIn(as: "ada")
    #expect(first.current.choice == .local && cloud.callCount == 0)
    try await close(first, second)
  }

  @Test func `events stay on the device if the choice can't be read`() async throws {
    let cloud = TestProvider("cloud")
    let (first, second) = try await processes(cloud)
    try memory.replaceFile(at: "/Accounts/accounts.json", with: Array("{".utf8))
    try await second.write("secret")
    _ = await first.accounts.eventsOnlyHere()
    #expect(!cloud.storage(of: "ada").contains("secret"))
    try await close(first, second)
  }
}

/// A storage that runs a closure during its next listing.
private final class InterruptedStorage: ObjectStorage {
  let base = MemoryStorage()
  private let body = Mutex<(@Sendable () async -> Void)?>(nil)

  var address: String { base.address }

  func interruptNextListing(_ body: @escaping @Sendable () async -> Void) {
    self.body.withLock { $0 = body }
  }

  func checkAvailability() {}

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    await body?()
    return try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? { try await base.read(name) }

  func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
}

extension MemoryStorage {
  /// Whether an object contains a text.
  fileprivate func contains(_ text: String) -> Bool {
    objects.values.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }
}
