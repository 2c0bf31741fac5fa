import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts
@testable import EventLogRemotes

/// The providers that an account uses when they fail, recover, or are chosen.
@Suite struct AccountReplicationTests {
  private let folder: TemporaryFolder
  private let clock = AdjustableClock(step: .zero)
  private let cloud = TestProvider("cloud")
  private let fire = TestProvider("fire")

  init() throws { folder = try TemporaryFolder() }

  private static let refused = EventLogError(
    .otherUser, "Somebody else is signed in to the cloud.", hint: "Sign in there.")
  private static let offline = EventLogError(remoteFailed: "There is no network.")

  private func open(_ device: String = "phone") async throws(EventLogError) -> Accounts {
    try await Accounts.open(
      folder.file(device), records: [Meal.self], providers: [cloud, fire],
      options: AccountOptions(
        journal: .repeatable(device: device, user: nil, clock: clock, seed: 1),
        catalog: .standard,
        schedule: ReplicationSchedule(
          delay: .milliseconds(1), retryMin: .milliseconds(1), retryMax: .milliseconds(2))))
  }

  /// Signs in, with the automatic choice if the account has none yet.
  private func signIn(_ accounts: Accounts, _ user: String) async throws(EventLogError) {
    try await accounts.signIn(as: user)
    if accounts.current.choice == nil { try await accounts.choose(.automatic) }
  }

  /// Waits until the current account satisfies `condition`.
  private func wait(
    for accounts: Accounts, _ condition: @Sendable (Account) -> Bool
  ) async {
    for await account in accounts.changes where condition(account) { return }
  }

  private func uses(_ account: Account, _ names: String...) -> Bool {
    account.places.map(\.provider) == names && account.places.last?.lastSynced != nil
  }

  private func create(_ accounts: Accounts, _ key: String) async throws(EventLogError) {
    _ = try await accounts.current.store.create(Meal.self, key: key) { $0.name = key }
  }

  @Test func `a guest never calls a provider`() async throws {
    let accounts = try await open()
    for number in 0..<20 { try await create(accounts, "meal\(number)") }
    #expect(await accounts.providers().isEmpty)
    await accounts.syncNow()
    try await accounts.signOut()
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.choose(.only("fire"))
    }
    #expect(code == .usage)
    try await accounts.close()
    #expect(cloud.callCount == 0 && fire.callCount == 0)
  }

  @Test func `a closure that returns a storage for each user works as a provider`() async throws {
    let (bucket, journal) = (
      TestProvider("bucket"),
      JournalOptions.repeatable(device: "phone", user: nil, clock: clock, seed: 1)
    )
    let accounts = try await Accounts.open(
      folder.file("storages"), records: [Meal.self],
      providers: [StorageProvider("bucket") { user in bucket.storage(of: user) }],
      options: AccountOptions(
        journal: journal, catalog: .standard,
        schedule: ReplicationSchedule(delay: .milliseconds(1), retryMin: .milliseconds(1))))
    try await create(accounts, "oats")
    #expect(try await bucket.storage(of: "ada").list(after: nil).isEmpty)
    try await signIn(accounts, "ada")
    await wait(for: accounts) { uses($0, "bucket") }
    #expect(try await !bucket.storage(of: "ada").list(after: nil).isEmpty)
    try await accounts.close()
  }

  @Test(
    arguments: [
      (EventLogError.Code.signInNeeded, true), (.quotaExceeded, true), (.accessDenied, true),
      (.remoteFailed, false),
    ])
  func `a provider reports whether its storage is available`(
    _ code: EventLogError.Code, isStopped: Bool
  ) async throws {
    let provider = StorageProvider("bucket") { _ in ClosedStorage(code: code) }
    let availability = await provider.availability(for: "ada")
    switch availability {
    case .stopped(let reason): #expect(reason.code == code && isStopped)
    case .unreachable(let reason): #expect(reason.code == code && !isStopped)
    case .available: Issue.record("It is said to be available.")
    }
    let sentence = try #require(availability.sentence)
    #expect(sentence.hasSuffix(".") && !sentence.contains("closed"))
    #expect(availability.details == "The place is closed. Open it.")
    let code = await failureCode { () throws(EventLogError) in
      try await provider.checkAvailability(for: "ada")
    }
    #expect(code != nil)
    let storage = MemoryStorage()
    let open = StorageProvider("bucket") { _ in storage }
    guard case .available = await open.availability(for: "ada") else {
      Issue.record("It is not said to be available.")
      return
    }
    storage.failCall(after: 0)
    guard case .unreachable = await open.availability(for: "ada") else {
      Issue.record("It is said to be available.")
      return
    }
  }

  @Test(arguments: [false, true])
  func `signing out and closing don't wait for a storage that ignores cancellation`(
    isClosing: Bool
  ) async throws {
    let storage = UncancelableStorage()
    let accounts = try await Accounts.open(
      folder.file("deaf"), records: [Meal.self],
      providers: [StorageProvider("deaf") { _ in storage }],
      options: AccountOptions(
        journal: .repeatable(device: "phone", user: nil, clock: clock, seed: 1),
        catalog: .standard))
    try await signIn(accounts, "ada")
    try await create(accounts, "soup")
    while storage.callCount == 0 { await Task.yield() }
    if isClosing { return try await accounts.close() }
    try await accounts.signOut()
    #expect(accounts.current.isGuest)
    try await accounts.close()
  }

  @Test func `an account doesn't push to the journal of a user it adopted`() async throws {
    let path = folder.file("backup.jsonl")
    let accounts = try await Accounts.open(
      folder.file("oneway"), records: [Meal.self], providers: [FileProvider(path: path), fire],
      options: AccountOptions(
        journal: .repeatable(device: "phone", user: nil, clock: clock, seed: 1),
        catalog: .standard,
        schedule: ReplicationSchedule(delay: .milliseconds(1), retryMin: .milliseconds(1))))
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await create(accounts, "soup")
    try await accounts.current.store.sync(with: JournalRemote(path: path))
    try await signIn(accounts, "ada")
    await wait(for: accounts) { uses($0, "file", "fire") }
    guard case .oneWay(_, let reason) = accounts.current.places[0].phase else {
      Issue.record("\(accounts.current.places[0].phase)")
      return
    }
    #expect(reason.code == .wrongAddress)
    #expect(await accounts.eventsOnlyHere() == 0)
    try await accounts.close()
  }

  @Test func `a guest's events reach no remote before the adoption`() async throws {
    let accounts = try await open()
    try await signIn(accounts, "ada")
    try await create(accounts, "own")
    try await accounts.signOut()
    try await create(accounts, "secret")
    #expect(!cloud.storage(of: "ada").objects.values.contains { $0.contains("secret") })
    try await signIn(accounts, "ada")
    await wait(for: accounts) { uses($0, "cloud") }
    _ = await accounts.eventsOnlyHere()
    #expect(cloud.storage(of: "ada").objects.values.contains { $0.contains("secret") })
    try await accounts.close()
  }

  @Test
  func `two phones of one user receive each other's events through a provider`() async throws {
    let phone = try await open()
    let tablet = try await open("tablet")
    try await create(phone, "soup")
    try await create(tablet, "stew")
    try await signIn(phone, "ada")
    try await signIn(tablet, "ada")
    await wait(for: phone) { $0.store.snapshot.all(Meal.self).count == 2 || uses($0, "cloud") }
    while phone.current.store.snapshot.all(Meal.self).count < 2
      || tablet.current.store.snapshot.all(Meal.self).count < 2
    {
      await phone.syncNow()
      await tablet.syncNow()
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(phone.current.store.snapshot.adoptedUsers.count == 2)
    try await phone.close()
    try await tablet.close()
  }

  @Test
  func `a stopped provider is replaced at once and is the only one again after it recovers`()
    async throws
  {
    cloud.set(.stopped(because: Self.refused))
    let accounts = try await open()
    try await signIn(accounts, "ada")
    try await create(accounts, "soup")
    await wait(for: accounts) { uses($0, "cloud", "fire") }
    guard case .stopped(let error) = accounts.current.places[0].phase else {
      Issue.record("\(accounts.current.places[0].phase)")
      return
    }
    #expect(error.hint == "Sign in there.")
    cloud.set(.available)
    await accounts.syncNow()
    await wait(for: accounts) { uses($0, "cloud") }
    #expect(await accounts.eventsOnlyHere() == 0)
    #expect(cloud.storage(of: "ada").objects.values.contains { $0.contains("soup") })
    try await accounts.close()
  }

  @Test func `syncNow recovers after a provider returned another user's remote`() async throws {
    try await recover { accounts in
      await accounts.syncNow()
      await wait(for: accounts) { uses($0, "cloud") }
      #expect(await accounts.eventsOnlyHere() == 0)
    }
  }

  @Test
  func `eventsOnlyHere recovers after a provider returned another user's remote`() async throws {
    try await recover { accounts in
      #expect(await accounts.eventsOnlyHere() == 0)
      // The replicator had stopped at an address that is no longer used.
      await wait(for: accounts) { uses($0, "cloud") }
    }
  }

  /// Runs `body` after a provider has returned another user's remote, and then the right one.
  private func recover(_ body: (Accounts) async throws -> Void) async throws {
    let other = try await open("tablet")
    try await signIn(other, "bea")
    try await create(other, "stew")
    await wait(for: other) { $0.places.first?.lastSynced != nil }
    cloud.returnStorage("bea")
    let accounts = try await open()
    try await signIn(accounts, "ada")
    try await create(accounts, "soup")
    await wait(for: accounts) { account in
      if case .stopped = account.places.first?.phase { return true }
      return false
    }
    cloud.returnStorage(nil)
    try await body(accounts)
    #expect(cloud.storage(of: "ada").objects.values.contains { $0.contains("soup") })
    #expect(!cloud.storage(of: "bea").objects.values.contains { $0.contains("soup") })
    try await accounts.close()
    try await other.close()
  }

  @Test func `an unreachable provider is replaced after an hour`() async throws {
    cloud.set(.unreachable(because: Self.offline))
    let accounts = try await open()
    try await signIn(accounts, "ada")
    await wait(for: accounts) { account in
      if case .retrying = account.places.first?.phase { return true }
      return false
    }
    #expect(accounts.current.places.map(\.provider) == ["cloud"] && fire.callCount == 0)
    clock.advance(by: .seconds(3601))
    await accounts.syncNow()
    await wait(for: accounts) { uses($0, "cloud", "fire") }
    try await accounts.close()
  }

  @Test(arguments: [
    Availability.stopped(because: refused),
    .unreachable(
      because: EventLogError(remoteFailed: "It is busy.", retryAfter: .seconds(86_400))),
  ])
  func `a sync with one provider doesn't trigger an early retry of a failed one`(
    _ availability: Availability
  ) async throws {
    cloud.set(availability)
    let accounts = try await open()
    try await signIn(accounts, "ada")
    await wait(for: accounts) { $0.places.first?.phase.isRefusal == true }
    // After an hour, the next provider is used as well.
    clock.advance(by: .seconds(3601))
    await accounts.syncNow()
    await wait(for: accounts) { uses($0, "cloud", "fire") }
    let count = cloud.callCount
    for number in 0..<8 {
      clock.advance(by: .seconds(1))
      try await create(accounts, "meal\(number)")
      await wait(for: accounts) { $0.places.last?.lastSynced == clock.now }
    }
    // One retry may have become due in these eight seconds.
    #expect(cloud.callCount - count <= 1)
    try await accounts.close()
  }

  @Test func `an unreachable provider is retried automatically`() async throws {
    cloud.set(.unreachable(because: Self.offline))
    let accounts = try await open()
    try await signIn(accounts, "ada")
    await wait(for: accounts) { $0.places.first?.phase.isRefusal == true }
    cloud.set(.available)
    await wait(for: accounts) { uses($0, "cloud") }
    try await accounts.close()
  }

  @Test func `a failing provider is replaced an hour after its first failure`() async throws {
    cloud.storage(of: "ada").failCall(after: 0)
    let accounts = try await open()
    try await create(accounts, "soup")
    try await signIn(accounts, "ada")
    await wait(for: accounts) { account in
      if case .retrying = account.places.first?.phase { return true }
      return false
    }
    try await accounts.close()
    clock.advance(by: .seconds(3601))
    // The first failure is remembered across a restart of the app.
    let reopened = try await open()
    #expect(reopened.current.user == "ada")
    await wait(for: reopened) { uses($0, "cloud", "fire") }
    cloud.storage(of: "ada").stopFailing()
    await reopened.syncNow()
    await wait(for: reopened) { uses($0, "cloud") }
    try await reopened.close()
  }

  @Test func `an event appended while a sign-out compares remotes is kept`() async throws {
    let accounts = try await open()
    try await signIn(accounts, "ada")
    try await create(accounts, "first")
    let store = accounts.current.store
    // Slow down the remote, so that the append happens during the comparison.
    cloud.delay(by: .milliseconds(3))
    let writes = Task { () -> Int in
      for number in 0..<60 {
        do throws(EventLogError) {
          _ = try await store.create(Meal.self, key: "meal\(number)") { $0.name = "M" }
        } catch { return number }
        try? await Task.sleep(for: .milliseconds(2))
      }
      return 60
    }
    var isRemoved = false
    for _ in 0..<100 where !isRemoved {
      do throws(EventLogError) {
        isRemoved = try await accounts.signOut(.removeIfElsewhere).isRemoved
      } catch {
        guard error.code == .eventsOnlyHere else { throw error }
      }
    }
    let count = await writes.value
    cloud.delay(by: .zero)
    #expect(isRemoved)
    // Every acknowledged event is on the remote.
    try await signIn(accounts, "ada")
    await wait(for: accounts) { $0.places.allSatisfy { $0.lastSynced != nil } }
    #expect(accounts.current.store.snapshot.all(Meal.self).count == count + 1)
    try await accounts.close()
  }

  @Test func `signing out doesn't wait for a provider that never answers`() async throws {
    let accounts = try await open()
    cloud.hang()
    try await signIn(accounts, "ada")
    try await accounts.signOut()
    #expect(accounts.current.isGuest)
    try await accounts.close()
  }

  @Test func `an available provider that fails doesn't replace a working one`() async throws {
    cloud.set(.stopped(because: Self.refused))
    let accounts = try await open()
    try await signIn(accounts, "ada")
    await wait(for: accounts) { uses($0, "cloud", "fire") }
    cloud.storage(of: "ada").failCall(after: 0)
    cloud.set(.available)
    await accounts.syncNow()
    await wait(for: accounts) { account in
      if case .retrying = account.places.first?.phase { return true }
      return false
    }
    #expect(accounts.current.places.map(\.provider) == ["cloud", "fire"])
    try await accounts.close()
  }

  @Test func `a named provider is used alone, and a local account uses none`() async throws {
    let accounts = try await open()
    cloud.set(.stopped(because: Self.refused))
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.only("cloud"))
    await wait(for: accounts) { account in
      if case .stopped = account.places.first?.phase { return true }
      return false
    }
    #expect(accounts.current.places.map(\.provider) == ["cloud"] && fire.callCount == 0)
    try await accounts.choose(.local)
    await wait(for: accounts) { $0.places.isEmpty }
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.choose(.only("nowhere"))
    }
    #expect(code == .invalidInput && accounts.current.choice == .local)
    try await accounts.close()
  }

  @Test func `an account sends nothing before its user has chosen providers`() async throws {
    let accounts = try await open()
    try await create(accounts, "soup")
    try await accounts.signIn(as: "ada")
    #expect(accounts.current.choice == nil && accounts.current.places.isEmpty)
    await accounts.syncNow()
    #expect(await accounts.eventsOnlyHere() == accounts.current.store.snapshot.eventCount)
    try await accounts.close()
    let reopened = try await open()
    #expect(reopened.current.user == "ada" && reopened.current.choice == nil)
    #expect(cloud.callCount == 0 && fire.callCount == 0)
    try await reopened.choose(.automatic)
    #expect(reopened.current.chosenAt == clock.now)
    await wait(for: reopened) { uses($0, "cloud") }
    try await reopened.close()
  }

  @Test func `every account keeps its own choice of providers`() async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.local)
    try await create(accounts, "secret")
    try await accounts.signOut()
    try await accounts.signIn(as: "bea")
    #expect(accounts.current.choice == nil)
    try await accounts.choose(.automatic)
    await wait(for: accounts) { uses($0, "cloud") }
    let before = cloud.callCount
    try await accounts.signIn(as: "ada")
    #expect(accounts.current.choice == .local && accounts.current.places.isEmpty)
    try await accounts.close()
    let reopened = try await open()
    await reopened.syncNow()
    #expect(reopened.current.user == "ada" && reopened.current.choice == .local)
    #expect(cloud.storage(of: "ada").objects.isEmpty)
    try await reopened.signIn(as: "bea")
    #expect(reopened.current.choice == .automatic && cloud.callCount >= before)
    try await reopened.close()
  }
}

/// A storage that can't be used.
private struct ClosedStorage: ObjectStorage {
  let address = "closed"
  let code: EventLogError.Code

  private var error: EventLogError { EventLogError(code, "The place is closed.", hint: "Open it.") }

  func put(_ name: String, _ bytes: [UInt8]) throws(EventLogError) -> Bool { throw error }
  func list(after name: String?) throws(EventLogError) -> [StoredObject] { throw error }
  func read(_ name: String) throws(EventLogError) -> [UInt8]? { throw error }
  func remove(_ name: String) throws(EventLogError) { throw error }
}

/// An available storage whose calls never end, even if their task is canceled.
private final class UncancelableStorage: ObjectStorage {
  let address = "deaf"
  private let count = Mutex(0)

  var callCount: Int { count.withLock { $0 } }

  private func hang() async {
    count.withLock { $0 += 1 }
    // A detached task isn't canceled with its caller.
    try? await Task.detached { try await Task.sleep(for: .seconds(86_400)) }.value
  }

  func checkAvailability() {}

  func put(_ name: String, _ bytes: [UInt8]) async -> Bool {
    await hang()
    return true
  }

  func list(after name: String?) async -> [StoredObject] {
    await hang()
    return []
  }

  func read(_ name: String) async -> [UInt8]? {
    await hang()
    return nil
  }

  func remove(_ name: String) async { await hang() }
}

/// A provider that returns the same journal for every user.
private struct FileProvider: Provider {
  let name = "file"
  let path: String

  func availability(for user: String) async -> Availability { .available }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    JournalRemote(path: path)
  }
}

extension Replicator.Phase {
  fileprivate var isRefusal: Bool {
    switch self {
    case .stopped, .retrying: true
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(text)
  }
}
