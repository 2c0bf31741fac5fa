import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogAccounts

/// The accounts of one process, on a disk that it shares with other processes.
struct AccountProcess {
  let disk: InstrumentedFileSystem
  let accounts: Accounts

  init(
    _ memory: any FileSystem, _ seed: UInt64, _ providers: [any Provider] = []
  ) async throws(EventLogError) {
    disk = InstrumentedFileSystem(memory)
    var journal = JournalOptions.repeatable(
      device: "device-\(seed)", user: nil, clock: AdjustableClock(), seed: seed, fileSystem: disk)
    // Process 1 keeps its locks while it is interrupted, so the others must not wait for them.
    journal.lockWaitMilliseconds = seed == 1 ? 30_000 : 0
    accounts = try await Accounts.open(
      "/Accounts", records: [Meal.self], providers: providers,
      options: AccountOptions(journal: journal, catalog: .standard))
  }

  var current: Account { accounts.current }

  func write(_ key: String) async throws(EventLogError) {
    _ = try await current.store.create(Meal.self, key: key) { $0.name = key }
  }

  var meals: [String] { current.store.snapshot.all(Meal.self).map(\.name).sorted() }

  /// Returns the number of failable calls that a guest's sign-in makes.
  static func signInCallCount() async throws -> Int {
    let process = try await AccountProcess(MemoryFileSystem(), 1)
    try await process.write("soup")
    process.disk.resetCounts()
    try await process.accounts.signIn(as: "ada")
    let count = process.disk.failableCount
    try await process.accounts.close()
    return count
  }

  /// Checks that each user has one journal, and that one account or guest has the meal "soup".
  static func check(_ memory: MemoryFileSystem, _ text: String) async throws {
    let last = try await AccountProcess(memory, 3)
    let file = try #require(try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
    #expect(file.brokenRules.isEmpty, "\(text): \(file.brokenRules)")
    let own = file.entries.filter { $0.adoption == nil && !GuestName.isGuest($0.user) }
    var owners: [String] = []
    for user in own.map(\.user) {
      try await last.accounts.signIn(as: user, guest: .leave)
      if last.meals.contains("soup") { owners.append(user) }
    }
    // A guest that no account has adopted still has it.
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
}
