import Dispatch
import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts

/// Two processes that share a folder of accounts, such as an app and its extension.
///
/// An interrupted process blocks its thread, so these tests run serially.
@Suite(.serialized) struct SharedFolderTests {
  /// A process: its accounts, on the disk that both processes share.
  private struct Process {
    let disk: InstrumentedFileSystem
    let accounts: Accounts

    init(
      _ memory: MemoryFileSystem, _ seed: UInt64, _ providers: [any Provider] = []
    ) async throws(EventLogError) {
      disk = InstrumentedFileSystem(memory)
      var journal = JournalOptions.repeatable(
        device: "device-\(seed)", user: nil, clock: AdjustableClock(), seed: seed,
        fileSystem: disk)
      // The other process keeps its lock until this one continues, so waiting is useless.
      journal.lockWaitMilliseconds = 0
      accounts = try await Accounts.open(
        "/Accounts", records: [Meal.self], providers: providers,
        options: AccountOptions(journal: journal, catalog: .standard))
    }

    var current: Account { accounts.current }

    func write(_ key: String) async throws(EventLogError) {
      _ = try await current.store.create(Meal.self, key: key) { $0.name = key }
    }

    var meals: [String] { current.store.snapshot.all(Meal.self).map(\.name).sorted() }
  }

  /// A sign-in of the other process, at a moment when files may be locked.
  private final class OtherSignIn: Sendable {
    private let result = Mutex<Result<Void, EventLogError>?>(nil)
    private let process: Process
    private let user: String

    init(_ process: Process, _ user: String) { (self.process, self.user) = (process, user) }

    /// Signs in while the first process waits.
    func runInBetween() {
      let done = DispatchSemaphore(value: 0)
      Task.detached { [self] in
        await run()
        done.signal()
      }
      done.wait()
    }

    private func run() async {
      var ended: Result<Void, EventLogError> = .success(())
      do throws(EventLogError) { try await process.accounts.signIn(as: user) } catch {
        ended = .failure(error)
      }
      let result = ended
      self.result.withLock { $0 = result }
    }

    /// Signs in unless it already succeeded; the first try may fail only because of a lock.
    func finish() async throws {
      if case .success? = result.withLock({ $0 }) { return }
      if case .failure(let error)? = result.withLock({ $0 }) {
        #expect(error.code == .locked, "\(error)")
      }
      await run()
      try result.withLock { $0 }?.get()
    }
  }

  /// Checks that each user has one journal, and the guest's meal is in one account's journal.
  private func check(_ memory: MemoryFileSystem, _ text: String) async throws {
    let last = try await Process(memory, 3)
    let file = try #require(
      try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
    #expect(file.broken.isEmpty, "\(text): \(file.broken)")
    let own = file.entries.filter { $0.adoption == nil && !GuestName.isGuest($0.user) }
    var owners: [String] = []
    for user in own.map(\.user) {
      try await last.accounts.signIn(as: user, guest: .leave)
      if last.meals.contains("soup") { owners.append(user) }
    }
    // A guest that no account has adopted still has the meal.
    try await last.accounts.signOut()
    if last.meals.contains("soup") { owners.append("guest") }
    #expect(owners.count == 1, "\(text): the meal is in \(owners)")
    let journals = try memory.contents(of: "/Accounts").filter { $0.hasSuffix(".jsonl") }
    var users: [String: Int] = [:]
    for name in journals where try memory.status(at: "/Accounts/\(name)").size > 0 {
      let user = try Journal(path: "/Accounts/\(name)", fileSystem: memory).status().user
      users[user ?? "", default: 0] += 1
    }
    #expect(users.values.allSatisfy { $0 == 1 }, "\(text): \(users)")
    try await last.accounts.close()
  }

  /// Counts the calls of a guest's sign-in that can fail.
  private func callsOfSignIn() async throws -> Int {
    let process = try await Process(MemoryFileSystem(), 1)
    try await process.write("soup")
    process.disk.resetCounts()
    try await process.accounts.signIn(as: "ada")
    let count = process.disk.failableCount
    try await process.accounts.close()
    return count
  }

  @Test(arguments: ["ada", "bea"], [false, true])
  func `two concurrent sign-ins leave each user one journal, and each guest one adopter`(
    _ user: String, isKilled: Bool
  ) async throws {
    let count = try await callsOfSignIn()
    for call in Rounds.areComplete ? Array(0..<count + 1) : Rounds.places(count + 1) {
      let memory = MemoryFileSystem()
      let (first, second) = (try await Process(memory, 1), try await Process(memory, 2))
      try await first.write("soup")
      try await second.current.store.refresh()
      #expect(first.current.user == second.current.user)
      let other = OtherSignIn(second, user)
      first.disk.interrupt(after: call) { other.runInBetween() }
      if isKilled { first.disk.failNextCall(after: call, with: .inputOutput, times: .max) }
      let code = await failureCode { () throws(EventLogError) in
        try await first.accounts.signIn(as: "ada")
      }
      #expect(isKilled || code == nil, "call \(call): \(String(describing: code))")
      try? await first.accounts.close()
      try await other.finish()
      #expect(second.current.user == user, "call \(call)")
      try await second.accounts.close()
      try await check(memory, "call \(call)")
    }
  }

  @Test func `all processes share one guest`() async throws {
    let memory = MemoryFileSystem()
    let (first, second) = (try await Process(memory, 1), try await Process(memory, 2))
    try await first.write("soup")
    try await second.write("stew")
    try await first.accounts.signIn(as: "ada")
    #expect(first.meals == ["soup", "stew"])
    try await first.accounts.close()
    try await second.accounts.close()
  }

  @Test func `an event that a guest appends after its adoption reaches the account`()
    async throws
  {
    let memory = MemoryFileSystem()
    let (first, second) = (try await Process(memory, 1), try await Process(memory, 2))
    try await first.write("soup")
    try await first.accounts.signIn(as: "ada")
    // The other process still shows the guest.
    try await second.write("stew")
    try await second.accounts.close()
    try await first.accounts.close()
    let again = try await Process(memory, 3)
    #expect(again.current.user == "ada" && again.meals == ["soup", "stew"])
    try await again.accounts.close()
  }

  @Test func `a guest that another account adopted isn't adopted again`() async throws {
    let memory = MemoryFileSystem()
    let (first, second) = (try await Process(memory, 1), try await Process(memory, 2))
    try await first.write("soup")
    try await first.accounts.signIn(as: "ada")
    let signIn = try await second.accounts.signIn(as: "bea")
    #expect(signIn.adoption == nil && second.meals.isEmpty)
    try await first.accounts.close()
    try await second.accounts.close()
    try await check(memory, "one after the other")
  }

  @Test func `two journals of a user are merged, and the second counts as adopted`() async throws {
    let memory = MemoryFileSystem()
    let first = try await Process(memory, 1)
    try await first.accounts.signIn(as: "ada")
    try await first.write("soup")
    let options = JournalOptions.repeatable(
      device: "pad", user: "ada", clock: AdjustableClock(), seed: 5, fileSystem: memory)
    let catalog = try SchemaCatalog.standard.adding([Meal.self])
    let store = try await EventStore.open(
      path: "/Accounts/zz.jsonl", options: options, catalog: catalog)
    _ = try await store.create(Meal.self, key: "stew") { $0.name = "stew" }
    try await first.accounts.close()

    let second = try await Process(memory, 2)
    #expect(second.current.user == "ada" && second.meals == ["soup", "stew"])
    let known = await second.accounts.all
    #expect(known.map(\.adoptedBy) == [nil, "ada"] && known.map(\.isCurrent) == [true, false])
    #expect(known.last?.path == "/Accounts/zz.jsonl")
    // A process that has the second journal open isn't aware of the merge.
    _ = try await store.create(Meal.self, key: "tea") { $0.name = "tea" }
    try await store.close()
    try await second.accounts.close()
    let third = try await Process(memory, 3)
    #expect(third.meals == ["soup", "stew", "tea"])
    let signOut = try await third.accounts.signOut(.remove)
    #expect(signOut.isRemoved)
    #expect(try memory.contents(of: "/Accounts").allSatisfy { !$0.hasSuffix(".jsonl") })
    try await third.accounts.close()
  }

  @Test func `an unlisted journal is added next to an account without events`()
    async throws
  {
    let memory = MemoryFileSystem()
    let first = try await Process(memory, 1)
    try await first.accounts.signIn(as: "ada")
    try await first.accounts.close()
    let options = JournalOptions.repeatable(
      device: "pad", user: "bea", clock: AdjustableClock(), seed: 5, fileSystem: memory)
    let store = try await EventStore.open(path: "/Accounts/b.jsonl", options: options)
    _ = try await store.append([.theme("dark")], allowingUnknownTypes: true)
    try await store.close()
    let second = try await Process(memory, 2)
    #expect(second.current.user == "ada")
    #expect(await second.accounts.all.map(\.user) == ["ada", "bea"])
    try await second.accounts.close()
  }

  @Test func `a choice made by another process applies at the next change`() async throws {
    let memory = MemoryFileSystem()
    let cloud = TestProvider("cloud")
    let first = try await Process(memory, 1, [cloud])
    try await first.accounts.signIn(as: "ada")
    let second = try await Process(memory, 2, [cloud])
    try await second.accounts.choose(.local)
    try await first.accounts.signIn(as: "ada")
    #expect(first.current.choice == .local && cloud.callCount == 0)
    try await first.accounts.close()
    try await second.accounts.close()
  }

  @Test func `signing in fails and changes nothing while the folder is locked`() async throws {
    let memory = MemoryFileSystem()
    let process = try await Process(memory, 1)
    try await process.write("soup")
    let lock = try memory.open("/Accounts/accounts.lock", .create)
    #expect(try memory.tryLock(lock, exclusive: true))
    let code = await failureCode { () throws(EventLogError) in
      try await process.accounts.signIn(as: "ada")
    }
    #expect(code == .locked && process.current.isGuest && process.meals == ["soup"])
    memory.close(lock)
    try await process.accounts.signIn(as: "ada")
    #expect(process.meals == ["soup"])
    try await process.accounts.close()
  }
}
