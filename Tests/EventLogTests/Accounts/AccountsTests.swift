import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog
@testable import EventLogAccounts

/// Guests, signing in and signing out. No user sees another user's events.
@Suite struct AccountsTests {
  private let folder: TemporaryFolder
  private let clock = AdjustableClock()

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("Accounts") }

  private func open(
    _ providers: [any Provider] = [], seed: UInt64 = 1
  ) async throws(EventLogError) -> Accounts {
    try await Accounts.open(
      path, records: [Meal.self], providers: providers,
      options: AccountOptions(
        journal: .repeatable(device: "phone", user: nil, clock: clock, seed: seed),
        catalog: .standard))
  }

  /// Opens accounts on a disk that can fail.
  private static func open(
    _ path: String, on disk: InstrumentedFileSystem
  ) async throws(EventLogError) -> Accounts {
    try await Accounts.open(
      path, records: [Meal.self],
      options: AccountOptions(
        journal: .repeatable(
          device: "phone", user: nil, clock: AdjustableClock(), seed: 1, fileSystem: disk),
        catalog: .standard))
  }

  private func birthday(_ account: Account) -> JSONValue? {
    account.store.snapshot.singleton("profile").first { $0.name == "birthday" }?.shown
  }

  private func write(_ birthday: String, _ account: Account) async throws(EventLogError) {
    _ = try await account.store.append([
      .of("profile.updated", nil, ["birthday": .string(birthday)])
    ])
  }

  private var journals: [String] {
    ((try? SystemFileSystem().contents(of: path)) ?? []).filter { $0.hasSuffix(".jsonl") }
  }

  // MARK: - Guests

  @Test func `a guest without events has no file and survives a restart`() async throws {
    let accounts = try await open()
    #expect(accounts.current.isGuest && accounts.current.user.hasPrefix("guest-"))
    #expect(journals.isEmpty && !accounts.current.isRestoring)
    try await accounts.close()
    let reopened = try await open(seed: 2)
    // All processes that open the folder share one guest.
    #expect(reopened.current.user == accounts.current.user)
    #expect(await reopened.all.isEmpty)
  }

  @Test func `a guest with events is current again after a restart`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.close()
    let reopened = try await open(seed: 2)
    #expect(reopened.current.user == accounts.current.user)
    #expect(birthday(reopened.current) == "1999-05-05" && journals.count == 1)
  }

  // MARK: - Signing in

  @Test func `signing in adopts the guest, and signing out starts a new one`() async throws {
    let accounts = try await open()
    let guest = accounts.current
    try await write("1999-05-05", guest)
    let signIn = try await accounts.signIn(as: "ada")
    #expect(signIn.adoption?.users == [guest.user] && signIn.adoption?.sync.pulledCount == 2)
    #expect(accounts.current.user == "ada" && birthday(accounts.current) == "1999-05-05")
    // An open store of the adopted guest refuses writes, because they would never reach the
    // account.
    let code = await failureCode { () throws(EventLogError) in try await write("2000-01-01", guest)
    }
    #expect(code != nil)

    try await accounts.signOut()
    #expect(accounts.current.isGuest && accounts.current.user != guest.user)
    #expect(birthday(accounts.current) == nil && accounts.current.store.snapshot.eventCount == 0)
    try await accounts.signIn(as: "ada")
    #expect(birthday(accounts.current) == "1999-05-05")
    let known = await accounts.all
    #expect(known.map(\.user) == ["ada", guest.user] && known.map(\.adoptedBy) == [nil, "ada"])
  }

  @Test
  func `different values of a guest and an account conflict, and equal values don't`() async throws
  {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    try await write("1990-01-01", accounts.current)
    try await accounts.signOut()
    try await write("1999-05-05", accounts.current)
    let differing = try await accounts.signIn(as: "ada")
    #expect(differing.adoption?.sync.newConflicts.map(\.id) == ["profile#birthday"])
    try await accounts.current.store.resolve(
      accounts.current.store.snapshot.conflicts, preferring: .account)
    #expect(birthday(accounts.current) == "1990-01-01")
    try await accounts.signOut()
    try await write("1990-01-01", accounts.current)
    let equal = try await accounts.signIn(as: "ada")
    #expect(equal.adoption?.sync.newConflicts.isEmpty == true)
  }

  @Test func `a guest left at sign-in is current again after signing out`() async throws {
    let accounts = try await open()
    let guest = accounts.current.user
    try await write("1999-05-05", accounts.current)
    let signIn = try await accounts.signIn(as: "ada", guest: .leave)
    #expect(signIn.adoption == nil && birthday(accounts.current) == nil)
    try await accounts.signOut()
    #expect(accounts.current.user == guest && birthday(accounts.current) == "1999-05-05")
    // A guest that no account has adopted is adopted by the next sign-in that adopts.
    try await accounts.signIn(as: "bea")
    #expect(birthday(accounts.current) == "1999-05-05")
  }

  @Test func `another user on the same phone sees nothing of the first user`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.signIn(as: "bea")
    #expect(accounts.current.user == "bea" && birthday(accounts.current) == nil)
    try await write("1970-02-02", accounts.current)
    try await accounts.signIn(as: "ada")
    #expect(birthday(accounts.current) == "1999-05-05")
    #expect(accounts.current.store.snapshot.adoptedUsers.count == 1)
  }

  @Test
  func `an anonymous account is kept when linked, and adopted by another account`() async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await write("1999-05-05", accounts.current)
    #expect(accounts.current.isAnonymous)
    // Linking keeps the user ID, so nothing is adopted.
    let linked = try await accounts.signIn(as: "anon-1")
    #expect(linked.adoption == nil && !accounts.current.isAnonymous)
    try await accounts.signOut()
    try await accounts.signIn(as: "anon-2", isAnonymous: true)
    try await write("2001-01-01", accounts.current)
    let other = try await accounts.signIn(as: "bea")
    #expect(other.adoption?.users == ["anon-2"] && birthday(accounts.current) == "2001-01-01")
    let known = await accounts.all
    #expect(known.first { $0.user == "anon-2" }?.adoptedBy == "bea")
  }

  @Test func `signing in under a reserved name is refused and changes nothing`() async throws {
    let accounts = try await open()
    let user = accounts.current.user
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.signIn(as: "guest-1")
    }
    #expect(code == .invalidInput && accounts.current.user == user)
  }

  @Test func `a guest with a damaged journal isn't adopted and stays current`() async throws {
    var accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await write("1999-05-06", accounts.current)
    let guest = accounts.current
    try await accounts.close()
    var bytes = try SystemFileSystem().contents(ofFile: guest.store.path, maximumBytes: 1 << 20)
    bytes[bytes.count / 2] ^= 1
    try SystemFileSystem().replaceFile(at: guest.store.path, with: bytes)
    accounts = try await open(seed: 2)
    let code = await failureCode { () throws(EventLogError) in try await accounts.signIn(as: "ada")
    }
    #expect(code == .damaged && accounts.current.user == guest.user)
    #expect(journals.count == 1)
    try await write("1999-05-07", accounts.current)
    try await accounts.signIn(as: "ada", guest: .leave)
    #expect(accounts.current.user == "ada")
  }

  // MARK: - Crashes and losses

  @Test func `a sign-in interrupted by a crash is finished at the next opening`() async throws {
    let accounts = try await open()
    let guest = accounts.current
    try await write("1999-05-05", guest)
    try await accounts.close()
    var file = AccountsFile()
    file.entries = [
      .init(file: "account.jsonl", user: "ada"),
      .init(
        file: Path.name(of: guest.store.path), user: guest.user,
        adoption: .begun(by: "ada", isAnonymous: false)),
    ]
    try SystemFileSystem().replaceFile(at: path + "/accounts.json", with: file.encoded)
    let reopened = try await open(seed: 2)
    #expect(reopened.current.user == "ada" && birthday(reopened.current) == "1999-05-05")
    try await reopened.signOut()
    #expect(reopened.current.isGuest && reopened.current.user != guest.user)
  }

  @Test
  func `signing in succeeds after a crash interrupted the guest's first append`() async throws {
    var accounts = try await open()
    try await write("1999-05-05", accounts.current)
    let guest = accounts.current
    try await accounts.close()
    // Blank bytes are no event.
    let blank = [UInt8](repeating: 0x20, count: 50)
    try SystemFileSystem().replaceFile(at: guest.store.path, with: blank)
    accounts = try await open(seed: 2)
    #expect(accounts.current.user == guest.user)
    let signIn = try await accounts.signIn(as: "ada")
    #expect(signIn.adoption == nil && accounts.current.user == "ada")
    let content = try SystemFileSystem().contents(ofFile: guest.store.path, maximumBytes: 1 << 20)
    #expect(content == blank)
    try await accounts.signOut()
    #expect(accounts.current.isGuest && accounts.current.user != guest.user)
    try await accounts.close()
    // Events that arrive in the guest's journal afterwards belong to the account.
    let late = try await EventStore.open(
      path: guest.store.path,
      options: .repeatable(device: "phone", user: guest.user, clock: clock, seed: 3),
      catalog: .standard)
    _ = try await late.append([.of("profile.updated", nil, ["birthday": "1999-05-06"])])
    try await late.close()
    accounts = try await open(seed: 4)
    try await accounts.signIn(as: "ada")
    #expect(birthday(accounts.current) == "1999-05-06")
  }

  @Test
  func `without accounts.json, a guest without events is current and all events are kept`()
    async throws
  {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.close()
    try SystemFileSystem().remove(path + "/accounts.json")
    let reopened = try await open(seed: 2)
    #expect(reopened.current.isGuest && reopened.current.store.snapshot.eventCount == 0)
    try await reopened.signIn(as: "ada")
    #expect(birthday(reopened.current) == "1999-05-05" && journals.count == 2)
  }

  @Test func `without accounts.json, a guest that wrote after an undo is current`() async throws {
    let accounts = try await open()
    let guest = accounts.current.user
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.undoAdoption(of: guest)
    try await accounts.signOut()
    try await write("2000-01-01", accounts.current)
    try await accounts.close()
    try SystemFileSystem().remove(path + "/accounts.json")
    let reopened = try await open(seed: 2)
    #expect(reopened.current.user == guest && birthday(reopened.current) == "2000-01-01")
    try await reopened.close()
  }

  @Test func `an anonymous sign-in interrupted by a crash is finished as anonymous`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.close()
    let guest = try #require(journals.first)
    // Another account had already adopted this account.
    let accountsFile = """
      {"version":1,"journals":[{"file":"\(guest)","user":"\(accounts.current.user)",\
      "adopting":{"by":"anon","anonymous":true}},\
      {"file":"other.jsonl","user":"anon","adopted":{"by":"ada","bytes":1}}]}
      """
    try SystemFileSystem().replaceFile(at: path + "/accounts.json", with: Array(accountsFile.utf8))
    let reopened = try await open(seed: 2)
    #expect(reopened.current.user == "anon" && reopened.current.isAnonymous)
    #expect(await reopened.all.first { $0.user == "anon" }?.adoptedBy == nil)
    #expect(birthday(reopened.current) == "1999-05-05")
    try await reopened.close()
  }

  @Test func `a damaged accounts.json is reported and left unchanged`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.close()
    try SystemFileSystem().replaceFile(at: path + "/accounts.json", with: Array("{".utf8))
    let code = await failureCode { () throws(EventLogError) in _ = try await open() }
    #expect(code == .invalidInput)
    #expect(
      try SystemFileSystem().contents(ofFile: path + "/accounts.json", maximumBytes: 9) == [0x7B])
  }

  /// Either one call fails, or all calls from then on, as after a crash.
  @Test(arguments: [1, 1_000_000])
  func `a sign-in that fails at any call leaves the guest or the account current`(times: Int)
    async throws
  {
    // Fail each call in turn. Closing a store may make one call more or fewer.
    let calls =
      Rounds.areComplete ? Array(0..<400) : Rounds.sample(try await signInCallCount() + 1)
    var failedCount = 0
    for call in calls {
      let memory = MemoryFileSystem()
      let disk = InstrumentedFileSystem(memory, machineIdentity: "phone")
      let accounts = try await Self.open("/Accounts", on: disk)
      try await write("1999-05-05", accounts.current)
      let guest = accounts.current.user
      disk.resetCounts()
      disk.failNextCall(after: call, with: .inputOutput, times: times)
      let signIn: EventLogError?
      do throws(EventLogError) {
        try await accounts.signIn(as: "ada")
        signIn = nil
      } catch { signIn = error }
      let hasFailed = disk.failableCount > call
      disk.stopFailing()
      #expect([guest, "ada"].contains(accounts.current.user), "call \(call)")
      #expect(signIn == nil || accounts.current.user == guest, "call \(call)")
      // If the error claims that nothing changed, only the guest has a journal.
      let isUnchanged =
        try memory.contents(of: "/Accounts").count { name in
          try name.hasSuffix(".jsonl") && memory.status(at: "/Accounts/\(name)").size > 0
        } == 1
      let claims = signIn?.message.contains("Nothing was") ?? false
      #expect(isUnchanged || !claims, "call \(call): \(signIn?.message ?? "")")
      try? await accounts.close()
      let reopened = try await Self.open("/Accounts", on: disk)
      try await reopened.signIn(as: "ada")
      #expect(birthday(reopened.current) == "1999-05-05", "call \(call)")
      #expect(reopened.current.store.snapshot.eventCount == 4, "call \(call)")
      try await reopened.close()
      if !hasFailed { break }
      failedCount += 1
    }
    #expect(failedCount > (Rounds.areComplete ? 30 : 3))
  }

  /// Counts the calls of a guest's sign-in that can fail.
  private func signInCallCount() async throws -> Int {
    let disk = InstrumentedFileSystem(MemoryFileSystem(), machineIdentity: "phone")
    let accounts = try await Self.open("/Accounts", on: disk)
    try await write("1999-05-05", accounts.current)
    disk.resetCounts()
    try await accounts.signIn(as: "ada")
    let count = disk.failableCount
    try await accounts.close()
    return count
  }

  // MARK: - Repeated adoption

  @Test
  func `a guest that signs in again after an undo is adopted with all its entities`() async throws {
    let accounts = try await open()
    let guest = accounts.current
    let walk = try await guest.store.create(Meal.self) { $0.name = "Walk" }.id
    let swim = try await guest.store.create(Meal.self) { $0.name = "Swim" }.id
    try await accounts.signIn(as: "ada")
    try await accounts.undoAdoption(of: guest.user)
    #expect(accounts.current.store.snapshot.all(Meal.self).isEmpty)
    try await accounts.signOut()
    #expect(accounts.current.user == guest.user)
    try await accounts.current.store.add(1, to: \.servings, of: walk)
    _ = try await accounts.current.store.create(Meal.self) { $0.name = "Soup" }

    let signIn = try await accounts.signIn(as: "ada")
    let state = accounts.current.store.snapshot
    #expect(state.all(Meal.self).map(\.name).sorted() == ["Soup", "Swim", "Walk"])
    #expect(state[walk]?.servings.value == 1 && state.conflicts.isEmpty)
    let rows = signIn.adoption?.restored?.changes.map(\.place) ?? []
    #expect(rows.contains("\(swim)"))
    try await accounts.close()
  }

  // MARK: - New devices

  @Test
  func `conflicts that arrive after the sign-in on a new phone are in the state`() async throws {
    let provider = TestProvider("cloud")
    let first = try await open([provider])
    try await first.signIn(as: "ada")
    try await first.choose(.automatic)
    try await write("1990-01-01", first.current)
    _ = try await first.current.store.create(Meal.self) { $0.name = "Soup" }
    for await account in first.changes where account.places.first?.lastSynced != nil { break }
    #expect(await first.eventsOnlyHere() == 0)
    try await first.close()

    let other = try await Accounts.open(
      folder.file("Other"), records: [Meal.self], providers: [provider],
      options: AccountOptions(
        journal: .repeatable(device: "pad", user: nil, clock: clock, seed: 9),
        catalog: .standard))
    try await write("1999-05-05", other.current)
    _ = try await other.current.store.create(Meal.self) { $0.name = "Soup" }
    let storage = provider.storage(of: "ada")
    storage.failCall(after: 0)
    let signIn = try await other.signIn(as: "ada")
    try await other.choose(.automatic)
    #expect(other.current.isRestoring)
    #expect(signIn.adoption?.sync.newConflicts.isEmpty == true)
    storage.stopFailing()
    await other.syncNow()
    for await account in other.changes where !account.isRestoring { break }
    let state = other.current.store.snapshot
    #expect(state.adoptionConflicts.map(\.id) == ["profile#birthday"])
    #expect(state.sameNames.map(\.name) == ["Soup"])
    #expect(state.sameNames.first?.adopted.count == 1 && state.sameNames.first?.others.count == 1)
    try await other.current.store.resolve(state.adoptionConflicts, preferring: .account)
    #expect(birthday(other.current) == "1990-01-01")
    #expect(other.current.store.snapshot.adoptionConflicts.isEmpty)
    try await other.close()
  }

  // MARK: - Signing out

  @Test
  func `removeIfElsewhere removes a journal only if a new sync finds all events elsewhere`()
    async throws
  {
    let provider = TestProvider("cloud")
    let accounts = try await open([provider])
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.choose(.automatic)
    let storage = provider.storage(of: "ada")
    storage.failCall(after: 0)
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.signOut(.removeIfElsewhere)
    }
    #expect(code == .eventsOnlyHere && accounts.current.user == "ada")
    #expect(await accounts.eventsOnlyHere() == 4)
    storage.stopFailing()
    let signOut = try await accounts.signOut(.removeIfElsewhere)
    #expect(signOut == SignOut(isRemoved: true, lost: 0) && accounts.current.isGuest)
    // The journal of the adopted guest is removed as well.
    #expect(journals.isEmpty)
    try await accounts.signIn(as: "ada")
    // The choice of providers was removed with the journal.
    try await accounts.choose(.automatic)
    #expect(accounts.current.isRestoring)
    for await account in accounts.changes where !account.isRestoring { break }
    #expect(birthday(accounts.current) == "1999-05-05")
    try await accounts.close()
  }

  @Test func `signing out with remove deletes the journal and reports how many events are lost`()
    async throws
  {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    try await write("1999-05-05", accounts.current)
    let signOut = try await accounts.signOut(.remove)
    #expect(signOut == SignOut(isRemoved: true, lost: 2) && journals.isEmpty)
    try await accounts.signIn(as: "ada")
    #expect(birthday(accounts.current) == nil)
  }

  @Test func `signing out with remove deletes the journals of indirectly adopted users`()
    async throws
  {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await accounts.signIn(as: "bea")
    #expect(journals.count == 3)
    try await accounts.signOut(.remove)
    #expect(journals.isEmpty)
    #expect(await accounts.all.isEmpty)
  }

  @Test
  func `removing an adopter keeps events that the adopted account wrote after the adoption`()
    async throws
  {
    let provider = TestProvider("cloud")
    let accounts = try await open([provider])
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "bea")
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    _ = try await accounts.current.store.append([.theme("dark")])
    try await accounts.signOut()
    try await accounts.signIn(as: "bea")
    try await accounts.choose(.automatic)
    let signOut = try await accounts.signOut(.removeIfElsewhere)
    #expect(signOut.isRemoved && journals.count == 1)
    try await accounts.signIn(as: "anon-1")
    #expect(accounts.current.store.snapshot.singleton("settings").count == 1)
    try await accounts.close()
  }

  @Test func `a failed removal is finished at the next opening`() async throws {
    let disk = InstrumentedFileSystem(machineIdentity: "phone")
    let accounts = try await Self.open(path, on: disk)
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    disk.failNext(.remove, with: .inputOutput, times: 1000)
    let code = await failureCode { () throws(EventLogError) in
      _ = try await accounts.signOut(.remove)
    }
    #expect(code == .inputOutput && accounts.current.isGuest && birthday(accounts.current) == nil)
    // No later sign-in shows any of the removed events.
    try await accounts.signIn(as: "bea")
    try await accounts.signOut()
    try await accounts.close()
    disk.stopFailing()
    let reopened = try await Self.open(path, on: disk)
    #expect(reopened.current.isGuest && birthday(reopened.current) == nil && journals.isEmpty)
    #expect(await reopened.all.map(\.user) == ["bea"])
  }

  // MARK: - Concurrency

  @Test func `a guest's first event during a sign-in is either adopted or refused`() async throws {
    for seed in 0..<12 {
      let folder = folder.file("Accounts\(seed)")
      let accounts = try await Accounts.open(
        folder, records: [Meal.self],
        options: AccountOptions(
          journal: .repeatable(device: "phone", user: nil, clock: clock, seed: UInt64(seed)),
          catalog: .standard))
      let guest = accounts.current
      let write = Task { () -> Bool in
        do throws(EventLogError) {
          _ = try await guest.store.append([.theme("dark")])
          return true
        } catch { return false }
      }
      try await accounts.signIn(as: "ada")
      let isWritten = await write.value
      #expect(accounts.current.store.snapshot.singleton("settings").isEmpty != isWritten)
      try await accounts.close()
    }
  }

  @Test func `a guest left at sign-in isn't adopted when the account changes`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada", guest: .leave)
    let signIn = try await accounts.signIn(as: "bea")
    #expect(signIn.adoption == nil && birthday(accounts.current) == nil)
  }

  @Test func `an unfinished sign-in isn't finished for another user`() async throws {
    for call in 0..<60 {
      let disk = InstrumentedFileSystem(MemoryFileSystem(), machineIdentity: "phone")
      let accounts = try await Self.open("/Accounts", on: disk)
      try await write("1999-05-05", accounts.current)
      disk.failNextCall(after: call, with: .noSpace, times: 1_000_000)
      _ = try? await accounts.signIn(as: "ada")
      disk.stopFailing()
      if accounts.current.user == "ada" { break }
      try await accounts.signIn(as: "bea", guest: .leave)
      try await accounts.close()
      let reopened = try await Self.open("/Accounts", on: disk)
      #expect(reopened.current.user == "bea" && birthday(reopened.current) == nil, "call \(call)")
      try await reopened.close()
    }
  }

  @Test func `signing in on closed accounts is refused`() async throws {
    let accounts = try await open()
    try await accounts.close()
    let code = await failureCode { () throws(EventLogError) in try await accounts.signIn(as: "ada")
    }
    #expect(code == .usage && accounts.current.isGuest)
  }

  @Test func `a guest whose adoption was undone is current after signing out`() async throws {
    let accounts = try await open()
    let guest = accounts.current.user
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    let undone = try await accounts.undoAdoption(of: guest)
    #expect(undone.changes.count == 1 && birthday(accounts.current) == nil)
    try await accounts.signOut()
    #expect(accounts.current.user == guest && birthday(accounts.current) == "1999-05-05")
  }
}
