import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogAccounts

extension TwoProcessTests {
  /// Two processes that share a folder of accounts, such as an app and its extension.
  ///
  /// An interrupted process blocks its thread, so these tests run serially.
  @Suite(.tags(.faults)) struct SharedFolderTests {
    @Test(arguments: ["ada", "bea"], [false, true])
    func `two concurrent sign-ins leave each user one journal, and each guest one adopter`(
      _ user: String, isKilled: Bool
    ) async throws {
      let count = try await AccountProcess.signInCallCount()
      for call in Rounds.areComplete ? Array(0..<count + 1) : Rounds.sample(count + 1) {
        let memory = MemoryFileSystem()
        let (first, second) = (
          try await AccountProcess(memory, 1), try await AccountProcess(memory, 2)
        )
        try await first.write("soup")
        try await second.current.store.refresh()
        #expect(first.current.user == second.current.user)
        let other = OtherSignIn(second, user)
        first.disk.interrupt(after: call) { runBlocking { await other.run() } }
        if isKilled { first.disk.failNextCall(after: call, with: .inputOutput, times: .max) }
        let code = await failureCode { () throws(EventLogError) in
          try await first.accounts.signIn(as: "ada")
        }
        #expect(isKilled || code == nil, "call \(call): \(String(describing: code))")
        try? await first.accounts.close()
        try await other.finish()
        #expect(second.current.user == user, "call \(call)")
        try await second.accounts.close()
        try await AccountProcess.check(memory, "call \(call)")
      }
    }

    @Test func `all processes share one guest`() async throws {
      let memory = MemoryFileSystem()
      let (first, second) = (
        try await AccountProcess(memory, 1), try await AccountProcess(memory, 2)
      )
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
      let (first, second) = (
        try await AccountProcess(memory, 1), try await AccountProcess(memory, 2)
      )
      try await first.write("soup")
      try await first.accounts.signIn(as: "ada")
      // The other process still shows the guest.
      try await second.write("stew")
      try await second.accounts.close()
      try await first.accounts.close()
      let third = try await AccountProcess(memory, 3)
      #expect(third.current.user == "ada" && third.meals == ["soup", "stew"])
      try await third.accounts.close()
    }

    @Test func `a guest that another account adopted isn't adopted again`() async throws {
      let memory = MemoryFileSystem()
      let (first, second) = (
        try await AccountProcess(memory, 1), try await AccountProcess(memory, 2)
      )
      try await first.write("soup")
      try await first.accounts.signIn(as: "ada")
      let signIn = try await second.accounts.signIn(as: "bea")
      #expect(signIn.adoption == nil && second.meals.isEmpty)
      try await first.accounts.close()
      try await second.accounts.close()
      try await AccountProcess.check(memory, "one after the other")
    }

    @Test func `two journals of a user are merged, and the second counts as adopted`() async throws
    {
      let memory = MemoryFileSystem()
      let first = try await AccountProcess(memory, 1)
      try await first.accounts.signIn(as: "ada")
      try await first.write("soup")
      let options = JournalOptions.repeatable(
        device: "pad", user: "ada", clock: AdjustableClock(), seed: 5, fileSystem: memory)
      let catalog = try SchemaCatalog.standard.adding([Meal.self])
      let store = try await EventStore.open(
        path: "/Accounts/zz.jsonl", options: options, catalog: catalog)
      _ = try await store.create(Meal.self, key: "stew") { $0.name = "stew" }
      try await first.accounts.close()

      let second = try await AccountProcess(memory, 2)
      #expect(second.current.user == "ada" && second.meals == ["soup", "stew"])
      let known = await second.accounts.all
      #expect(known.map(\.adoptedBy) == [nil, "ada"] && known.map(\.isCurrent) == [true, false])
      #expect(known.last?.path == "/Accounts/zz.jsonl")
      // A process with the second journal open isn't aware of the merge.
      _ = try await store.create(Meal.self, key: "tea") { $0.name = "tea" }
      try await store.close()
      try await second.accounts.close()
      let third = try await AccountProcess(memory, 3)
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
      let first = try await AccountProcess(memory, 1)
      try await first.accounts.signIn(as: "ada")
      try await first.accounts.close()
      let options = JournalOptions.repeatable(
        device: "pad", user: "bea", clock: AdjustableClock(), seed: 5, fileSystem: memory)
      let store = try await EventStore.open(path: "/Accounts/b.jsonl", options: options)
      _ = try await store.append([.theme("dark")], allowingUnknownTypes: true)
      try await store.close()
      let second = try await AccountProcess(memory, 2)
      #expect(second.current.user == "ada")
      #expect(await second.accounts.all.map(\.user) == ["ada", "bea"])
      try await second.accounts.close()
    }

    @Test func `signing in fails and changes nothing while the folder is locked`() async throws {
      let memory = MemoryFileSystem()
      let process = try await AccountProcess(memory, 1)
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
}
