import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogAccounts

/// Guests, signing in, signing out: nobody's events in somebody else's view.
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

  @Test func `a guest without events has no file`() async throws {
    let accounts = try await open()
    #expect(accounts.current.isGuest && accounts.current.user.hasPrefix("guest-"))
    #expect(journals.isEmpty && !accounts.current.isRestoring)
    try await accounts.close()
    let again = try await open(seed: 2)
    // All processes that open the folder have the same guest.
    #expect(again.current.user == accounts.current.user)
    #expect(await again.all.isEmpty)
  }

  @Test func `a guest who has written is the guest again`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.close()
    let again = try await open(seed: 2)
    #expect(again.current.user == accounts.current.user)
    #expect(birthday(again.current) == "1999-05-05" && journals.count == 1)
  }

  // MARK: - Signing in

  @Test func `an account takes over the guest, and signing out shows an empty one`() async throws {
    let accounts = try await open()
    let guest = accounts.current
    try await write("1999-05-05", guest)
    let signIn = try await accounts.signIn(as: "ada")
    #expect(signIn.adoption?.users == [guest.user] && signIn.adoption?.sync.pulledCount == 2)
    #expect(accounts.current.user == "ada" && birthday(accounts.current) == "1999-05-05")
    // Whoever kept the guest's store writes nothing that nobody would see.
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

  @Test func `differing data are a conflict, and equal data none`() async throws {
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

  @Test func `a guest can be left, and is there again after signing out`() async throws {
    let accounts = try await open()
    let guest = accounts.current.user
    try await write("1999-05-05", accounts.current)
    let signIn = try await accounts.signIn(as: "ada", guest: .leave)
    #expect(signIn.adoption == nil && birthday(accounts.current) == nil)
    try await accounts.signOut()
    #expect(accounts.current.user == guest && birthday(accounts.current) == "1999-05-05")
    // What nobody has adopted belongs to the next who does.
    try await accounts.signIn(as: "bea")
    #expect(birthday(accounts.current) == "1999-05-05")
  }

  @Test func `another person on this phone sees nothing of the first`() async throws {
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

  @Test func `an anonymous account is linked, or belongs to somebody else`() async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await write("1999-05-05", accounts.current)
    #expect(accounts.current.isAnonymous)
    // Linking keeps the ID: nothing happens.
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

  @Test func `a name that is no account's changes nothing`() async throws {
    let accounts = try await open()
    let user = accounts.current.user
    let code = await failureCode { () throws(EventLogError) in
      try await accounts.signIn(as: "guest-1")
    }
    #expect(code == .invalidInput && accounts.current.user == user)
  }

  @Test func `a damaged guest stays the guest`() async throws {
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

  @Test func `a sign-in that a crash interrupted is finished`() async throws {
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
    let again = try await open(seed: 2)
    #expect(again.current.user == "ada" && birthday(again.current) == "1999-05-05")
    try await again.signOut()
    #expect(again.current.isGuest && again.current.user != guest.user)
  }

  @Test func `signing in succeeds if a crash interrupted the guest's first append`() async throws {
    var accounts = try await open()
    try await write("1999-05-05", accounts.current)
    let guest = accounts.current
    try await accounts.close()
    // The space that an append reserves before it writes.
    let reserved = [UInt8](repeating: 0x20, count: 50)
    try SystemFileSystem().replaceFile(at: guest.store.path, with: reserved)
    accounts = try await open(seed: 2)
    #expect(accounts.current.user == guest.user)
    let signIn = try await accounts.signIn(as: "ada")
    #expect(signIn.adoption == nil && accounts.current.user == "ada")
    let left = try SystemFileSystem().contents(ofFile: guest.store.path, maximumBytes: 1 << 20)
    #expect(left == reserved)
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

  @Test func `without accounts.json nobody is signed in, and nothing is lost`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.close()
    try SystemFileSystem().remove(path + "/accounts.json")
    let again = try await open(seed: 2)
    #expect(again.current.isGuest && again.current.store.snapshot.eventCount == 0)
    try await again.signIn(as: "ada")
    #expect(birthday(again.current) == "1999-05-05" && journals.count == 2)
  }

  @Test func `without accounts.json, a guest who wrote on after an undo is a guest`() async throws {
    let accounts = try await open()
    let guest = accounts.current.user
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    try await accounts.undoAdoption(of: guest)
    try await accounts.signOut()
    try await write("2000-01-01", accounts.current)
    try await accounts.close()
    try SystemFileSystem().remove(path + "/accounts.json")
    let again = try await open(seed: 2)
    #expect(again.current.user == guest && birthday(again.current) == "2000-01-01")
    try await again.close()
  }

  @Test func `an anonymous sign-in that a crash interrupted is finished as one`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.close()
    let guest = try #require(journals.first)
    // Once before, somebody had adopted the account.
    let begun = """
      {"version":1,"journals":[{"file":"\(guest)","user":"\(accounts.current.user)",\
      "adopting":{"by":"anon","anonymous":true}},\
      {"file":"other.jsonl","user":"anon","adopted":{"by":"ada","bytes":1}}]}
      """
    try SystemFileSystem().replaceFile(at: path + "/accounts.json", with: Array(begun.utf8))
    let again = try await open(seed: 2)
    #expect(again.current.user == "anon" && again.current.isAnonymous)
    #expect(await again.all.first { $0.user == "anon" }?.adoptedBy == nil)
    #expect(birthday(again.current) == "1999-05-05")
    try await again.close()
  }

  @Test func `a damaged accounts.json is told, and stays`() async throws {
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

  /// One call alone, or all from then on, as in a crash.
  @Test(arguments: [1, 1_000_000])
  func `every call that fails leaves the guest or the account`(times: Int) async throws {
    // All of them until none fails; what a store does as it closes may come a call sooner or later.
    let calls =
      Rounds.areComplete ? Array(0..<400) : Rounds.places(try await callsOfSignIn() + 1)
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
      // What is said to be unchanged is: only the guest has a journal.
      let isUnchanged =
        try memory.contents(of: "/Accounts").count { name in
          try name.hasSuffix(".jsonl") && memory.status(at: "/Accounts/\(name)").size > 0
        } == 1
      let claims = signIn?.message.contains("Nothing was") ?? false
      #expect(isUnchanged || !claims, "call \(call): \(signIn?.message ?? "")")
      try? await accounts.close()
      let again = try await Self.open("/Accounts", on: disk)
      try await again.signIn(as: "ada")
      #expect(birthday(again.current) == "1999-05-05", "call \(call)")
      #expect(again.current.store.snapshot.eventCount == 4, "call \(call)")
      try await again.close()
      if !hasFailed { break }
      failedCount += 1
    }
    #expect(failedCount > (Rounds.areComplete ? 30 : 3))
  }

  /// How many calls that can fail a guest's sign-in makes.
  private func callsOfSignIn() async throws -> Int {
    let disk = InstrumentedFileSystem(MemoryFileSystem(), machineIdentity: "phone")
    let accounts = try await Self.open("/Accounts", on: disk)
    try await write("1999-05-05", accounts.current)
    disk.resetCounts()
    try await accounts.signIn(as: "ada")
    let count = disk.failableCount
    try await accounts.close()
    return count
  }

  // MARK: - Adopting again

  @Test func `a guest who signs in again after an undo is there again, whole`() async throws {
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
    #expect(state[walk]?.servings == 1 && state.conflicts.isEmpty)
    let places = signIn.adoption?.restored?.changes.map(\.place) ?? []
    #expect(places.contains("\(swim)"))
    try await accounts.close()
  }

  // MARK: - New devices

  @Test func `what arrives behind the sign-in on a new phone is found in the state`() async throws {
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

  @Test func `removed only if a run made now finds everything elsewhere`() async throws {
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
    // The guest whom it had adopted is gone as well.
    #expect(journals.isEmpty)
    try await accounts.signIn(as: "ada")
    // With the journal, the choice is gone.
    try await accounts.choose(.automatic)
    #expect(accounts.current.isRestoring)
    for await account in accounts.changes where !account.isRestoring { break }
    #expect(birthday(accounts.current) == "1999-05-05")
    try await accounts.close()
  }

  @Test func `removed for good, and told what is lost`() async throws {
    let accounts = try await open()
    try await accounts.signIn(as: "ada")
    try await write("1999-05-05", accounts.current)
    let signOut = try await accounts.signOut(.remove)
    #expect(signOut == SignOut(isRemoved: true, lost: 2) && journals.isEmpty)
    try await accounts.signIn(as: "ada")
    #expect(birthday(accounts.current) == nil)
  }

  @Test func `whoever was adopted through others goes too`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "anon-1", isAnonymous: true)
    try await accounts.signIn(as: "bea")
    #expect(journals.count == 3)
    try await accounts.signOut(.remove)
    #expect(journals.isEmpty)
    #expect(await accounts.all.isEmpty)
  }

  @Test func `what an adopted account wrote afterwards is not removed unasked`() async throws {
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

  @Test func `a removal that fails is finished by the next opening`() async throws {
    let disk = InstrumentedFileSystem(machineIdentity: "phone")
    let accounts = try await Self.open(path, on: disk)
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada")
    disk.failNext(.remove, with: .inputOutput, times: 1000)
    let code = await failureCode { () throws(EventLogError) in
      _ = try await accounts.signOut(.remove)
    }
    #expect(code == .inputOutput && accounts.current.isGuest && birthday(accounts.current) == nil)
    // Nothing of it is anybody's, whatever happens meanwhile.
    try await accounts.signIn(as: "bea")
    try await accounts.signOut()
    try await accounts.close()
    disk.stopFailing()
    let again = try await Self.open(path, on: disk)
    #expect(again.current.isGuest && birthday(again.current) == nil && journals.isEmpty)
    #expect(await again.all.map(\.user) == ["bea"])
  }

  // MARK: - At the same moment

  @Test func `a guest's first event is adopted, or refused`() async throws {
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

  @Test func `a guest that was left is adopted only from its own view`() async throws {
    let accounts = try await open()
    try await write("1999-05-05", accounts.current)
    try await accounts.signIn(as: "ada", guest: .leave)
    let signIn = try await accounts.signIn(as: "bea")
    #expect(signIn.adoption == nil && birthday(accounts.current) == nil)
  }

  @Test func `an unfinished sign-in is not finished for somebody else`() async throws {
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
      let again = try await Self.open("/Accounts", on: disk)
      #expect(again.current.user == "bea" && birthday(again.current) == nil, "call \(call)")
      try await again.close()
    }
  }

  @Test func `closed accounts change nothing`() async throws {
    let accounts = try await open()
    try await accounts.close()
    let code = await failureCode { () throws(EventLogError) in try await accounts.signIn(as: "ada")
    }
    #expect(code == .usage && accounts.current.isGuest)
  }

  @Test func `a guest whose adoption is undone is the guest again`() async throws {
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
