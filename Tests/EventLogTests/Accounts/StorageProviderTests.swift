import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts
@testable import EventLogRemotes

/// An account with a storage, across restarts of the app and failures of the storage.
@Suite struct StorageProviderTests {
  private let folder: TemporaryFolder
  private let clock = AdjustableClock(step: .zero)
  private let storage = MemoryStorage(address: "cloud/ada")
  private let other = TestProvider("other")

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ storage: any ObjectStorage, every interval: Duration? = nil
  ) async throws(EventLogError) -> Accounts {
    try await Accounts.open(
      folder.file("phone"), records: [Meal.self],
      providers: [StorageProvider("cloud") { _ in storage }, other],
      options: AccountOptions(
        journal: .repeatable(device: "phone", user: nil, clock: clock, seed: 1),
        catalog: .standard,
        schedule: ReplicationSchedule(
          delay: .milliseconds(1), interval: interval ?? .seconds(60), retryMin: .milliseconds(1),
          retryMax: .milliseconds(2))))
  }

  private func signIn(_ accounts: Accounts) async throws(EventLogError) {
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    _ = try await accounts.current.store.create(Meal.self) { $0.name = "Soup" }
  }

  private func wait(
    for accounts: Accounts, _ condition: @Sendable (Account) -> Bool
  ) async {
    for await account in accounts.changes where condition(account) { return }
  }

  private func isRetrying(_ account: Account) -> Bool {
    if case .retrying = account.places.first?.phase { true } else { false }
  }

  private func isStopped(_ account: Account) -> Bool {
    if case .stopped = account.places.first?.phase { true } else { false }
  }

  @Test func `the time of the last sync is known after a restart without a network`() async throws {
    let accounts = try await open(storage)
    try await signIn(accounts)
    await wait(for: accounts) { $0.places.first?.lastSynced != nil }
    let time = accounts.current.places[0].lastSynced
    try await accounts.close()
    storage.failCall(after: 0)
    clock.advance(by: .seconds(60))
    let again = try await open(storage)
    await wait(for: again, isRetrying)
    #expect(again.current.places[0].lastSynced == time)
    try await again.close()
  }

  @Test func `an outage that spans restarts of the app counts as one outage`() async throws {
    storage.failCall(after: 0)
    let accounts = try await open(storage)
    try await signIn(accounts)
    await wait(for: accounts, isRetrying)
    try await accounts.close()
    for _ in 0..<2 {
      clock.advance(by: .seconds(1500))
      let again = try await open(storage)
      await wait(for: again, isRetrying)
      #expect(again.current.places.map(\.provider) == ["cloud"])
      try await again.close()
    }
    clock.advance(by: .seconds(700))
    let last = try await open(storage)
    await wait(for: last) { account in
      account.places.map(\.provider) == ["cloud", "other"]
        && account.places[1].lastSynced != nil
    }
    try await last.close()
  }

  @Test(arguments: [EventLogError.Code.accessDenied, .quotaExceeded])
  func `a refused first sync is recorded in the journal's status`(
    _ code: EventLogError.Code
  ) async throws {
    let accounts = try await open(RefusingStorage(code))
    try await signIn(accounts)
    await wait(for: accounts, isStopped)
    #expect(try Journal(accounts.current.store).recordedRemotes.contains("refusing"))
    try await accounts.close()
  }

  @Test func `a stopped storage is retried after the interval`() async throws {
    let storage = RefusingStorage(.signInNeeded)
    let accounts = try await open(storage, every: .milliseconds(1))
    try await signIn(accounts)
    await wait(for: accounts, isStopped)
    storage.accept()
    await wait(for: accounts) {
      $0.places.map(\.provider) == ["cloud"] && $0.places[0].lastSynced != nil
    }
    try await accounts.close()
  }
}

/// A storage that refuses every call until `accept()` is called.
private final class RefusingStorage: ObjectStorage {
  let address = "refusing"
  private let base = MemoryStorage()
  private let code: Mutex<EventLogError.Code?>

  init(_ code: EventLogError.Code) { self.code = Mutex(code) }

  func accept() { code.withLock { $0 = nil } }

  private func check() throws(EventLogError) {
    guard let code = code.withLock(\.self) else { return }
    throw EventLogError(code, "The storage refuses.", hint: "Wait.")
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try check()
    return try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try check()
    return try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try check()
    return try await base.read(name)
  }

  func remove(_ name: String) async throws(EventLogError) {
    try check()
    try await base.remove(name)
  }
}
