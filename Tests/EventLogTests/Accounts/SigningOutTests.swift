import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts
@testable import EventLogRemotes

/// Signing out, which removes a journal only if all its events are elsewhere, and never blocks.
@Suite struct SigningOutTests {
  private let folder: TemporaryFolder
  private let cloud = TestProvider("cloud")

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ name: String = "phone", _ provider: (any Provider)? = nil, removalTimeout: Duration? = nil,
    on disk: any FileSystem = SystemFileSystem()
  ) async throws(EventLogError) -> Accounts {
    var options = AccountOptions(
      journal: .repeatable(
        device: name, user: nil, clock: AdjustableClock(), seed: UInt64(name.utf8.count),
        fileSystem: disk), catalog: .standard)
    options.removalTimeout = removalTimeout ?? options.removalTimeout
    return try await Accounts.open(
      folder.file(name), records: [Meal.self], providers: [provider ?? cloud], options: options)
  }

  private func append(_ theme: String, _ accounts: Accounts) async throws(EventLogError) {
    _ = try await accounts.current.store.append([.theme(.string(theme))])
  }

  @Test(arguments: 0..<3)
  func `an object damaged since the last sync isn't trusted and is pushed again`(
    _ number: Int
  ) async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    // Prevents a background sync, which would merge objects.
    try await accounts.choose(.local)
    let storage = cloud.storage(of: "ada")
    for index in 0..<10 {
      try await append("\(index) " + String(repeating: "x", count: 5000), accounts)
      try await accounts.current.store.sync(with: ObjectRemote(storage))
    }
    let count = accounts.current.store.snapshot.eventCount
    let names = storage.names.filter { RangeName($0) != nil }
    try #require(names.count == 3)
    try await accounts.choose(.automatic)
    for await account in accounts.changes where account.places.first?.lastSynced != nil { break }
    storage.objects[names[number]]![40] ^= 1
    let signOut = try await accounts.signOut(.removeIfElsewhere)
    #expect(signOut == SignOut(isRemoved: true, lost: 0))
    try await accounts.close()

    let other = try await open("tablet")
    try await other.signIn(as: "ada")
    let report = try await other.current.store.sync(with: ObjectRemote(storage))
    #expect(other.current.store.snapshot.eventCount == count && report.pending.isEmpty)
    try await other.close()
  }

  /// After a USB stick was removed, its path may lead to the mount point on the device's own disk.
  @Test(arguments: [true, false])
  func `a vanished folder isn't created again and doesn't count as a copy`(
    isReplicated: Bool
  ) async throws {
    let disk = SystemFileSystem()
    let stick = folder.file("stick")
    try disk.makeFolder(stick)
    let provider = FolderProvider(path: Path.join(stick, "ada"))
    let accounts = try await open("phone", provider)
    try await accounts.signIn(as: "ada")
    if isReplicated { try await accounts.choose(.automatic) }
    try await append("dark", accounts)
    try await accounts.current.store.sync(with: await provider.remote(for: "ada"))
    if isReplicated {
      for await account in accounts.changes where account.places.first?.lastSynced != nil { break }
    }
    try disk.rename(stick, to: folder.file("drawer"))
    try disk.makeFolder(stick)
    if !isReplicated { try await accounts.choose(.automatic) }
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.signOut(.removeIfElsewhere)
    }
    #expect(code == .eventsOnlyHere && accounts.current.user == "ada")
    #expect(await accounts.eventsOnlyHere() == accounts.current.store.snapshot.eventCount)
    #expect(try disk.contents(of: stick).isEmpty)
    try disk.remove(stick)
    try disk.rename(folder.file("drawer"), to: stick)
    let signOut = try await accounts.signOut(.removeIfElsewhere)
    #expect(signOut == SignOut(isRemoved: true, lost: 0))
    try await accounts.close()
  }

  @Test
  func `a remote that accepts nothing from the account doesn't count as a copy`() async throws {
    let path = folder.file("backup.jsonl")
    let accounts = try await open("phone", JournalProvider(path: path))
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await append("dark", accounts)
    try await accounts.current.store.sync(with: JournalRemote(path: path))
    // The remote still belongs to the adopted user.
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    try await append("light", accounts)
    let count = accounts.current.store.snapshot.eventCount
    #expect(await accounts.eventsOnlyHere() == count)
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.signOut(.removeIfElsewhere)
    }
    #expect(code == .eventsOnlyHere && accounts.current.user == "ada")
    try await accounts.close()
  }

  @Test func `calls that wait for a provider return when canceled`() async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    try await append("dark", accounts)
    for await account in accounts.changes where account.places.first?.lastSynced != nil { break }
    let before = cloud.callCount
    cloud.hang()
    let signingOut = Task { () -> EventLogError.Code? in
      await failureCode { () throws(EventLogError) in
        try await accounts.signOut(.removeIfElsewhere)
      }
    }
    while cloud.callCount == before { await Task.yield() }
    let signingIn = Task { () -> EventLogError.Code? in
      await failureCode { () throws(EventLogError) in try await accounts.signIn(as: "bea") }
    }
    signingIn.cancel()
    #expect(await signingIn.value == .canceled)
    let asking = Task { await accounts.providers() }
    asking.cancel()
    guard case .unreachable(let error) = await asking.value.first?.availability else {
      Issue.record("It cannot have answered.")
      return
    }
    #expect(error.code == .canceled)
    signingOut.cancel()
    #expect(await signingOut.value == .canceled)
    #expect(accounts.current.user == "ada")
    try await accounts.close()
  }

  @Test func `signing out with remove doesn't wait forever for a provider`() async throws {
    let accounts = try await open(removalTimeout: .milliseconds(20))
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    try await append("dark", accounts)
    let count = accounts.current.store.snapshot.eventCount
    cloud.hang()
    let signOut = try await accounts.signOut(.remove)
    #expect(signOut == SignOut(isRemoved: true, lost: count) && accounts.current.isGuest)
    try await accounts.close()
  }

  @Test func `a journal whose size can no longer be read isn't removed`() async throws {
    let disk = InstrumentedFileSystem(machineIdentity: "phone")
    // After the comparison, no file can be opened.
    let storage = WatchedStorage { disk.failNext(.open, with: .tooManyOpenFiles, times: 1000) }
    let accounts = try await open("phone", StorageProvider("cloud") { _ in storage }, on: disk)
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    try await append("dark", accounts)
    for await account in accounts.changes where account.places.first?.lastSynced != nil { break }
    let code = await WatchedStorage.$isWatched.withValue(true) {
      await failureCode { () throws(EventLogError) in
        try await accounts.signOut(.removeIfElsewhere)
      }
    }
    disk.stopFailing()
    #expect(storage.wasCompared)
    let path = try #require(await accounts.all.first { $0.user == "ada" }?.path)
    let size = try disk.status(at: path).size
    #expect(code == .inputOutput && size > 0 && accounts.current.user == "ada")
    try await accounts.close()
  }
}

/// A provider that returns the same journal for every user.
private struct JournalProvider: Provider {
  let name = "backup"
  let path: String

  func availability(for user: String) async -> Availability { .available }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    JournalRemote(path: path)
  }
}

/// A provider that returns the same folder for every user.
private struct FolderProvider: Provider {
  let name = "folder"
  let path: String

  func availability(for user: String) async -> Availability { .available }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    FolderRemote(path: path)
  }
}

/// A storage that reports when the comparison, a sign-out's second run, reads an object.
private final class WatchedStorage: ObjectStorage {
  /// Set while signing out, so that background syncs aren't counted.
  @TaskLocal static var isWatched = false

  private struct State {
    var listCount = 0
    var wasCompared = false
  }

  private let base = MemoryStorage()
  private let onComparison: @Sendable () -> Void
  private let state = Mutex(State())

  var address: String { base.address }
  var wasCompared: Bool { state.withLock(\.wasCompared) }

  init(onComparison: @escaping @Sendable () -> Void) { self.onComparison = onComparison }

  /// Not counted as a call.
  func checkAvailability() {}

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    if Self.isWatched, name == nil { state.withLock { $0.listCount += 1 } }
    return try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let isComparison = state.withLock { state in
      guard Self.isWatched, state.listCount == 2, RangeName(name) != nil else { return false }
      state.wasCompared = true
      return true
    }
    if isComparison { onComparison() }
    return try await base.read(name)
  }

  func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
}
