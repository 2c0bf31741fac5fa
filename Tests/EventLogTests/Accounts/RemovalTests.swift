import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts

extension TwoProcessTests {
  /// Signing out with removal while other processes append to the account and its adopted guest.
  ///
  /// An interrupted process blocks its thread, so these tests run serially.
  @Suite struct RemovalTests {
    /// An app whose account has adopted a guest, and an extension that appends to both journals.
    private struct SharedAccount {
      let memory = MemoryFileSystem()
      let cloud = TestProvider("cloud")
      let app: AccountProcess
      /// The paths of the guest's and of the account's journal.
      let paths: [String]

      /// - Parameter isSynced: Whether all events are in the cloud, too.
      init(isSynced: Bool) async throws {
        app = try await AccountProcess(memory, 1, [cloud])
        try await app.write("soup")
        let guest = app.current.store.path
        try await app.accounts.signIn(as: "ada")
        try await app.write("stew")
        paths = [guest, app.current.store.path]
        guard isSynced else { return }
        try await app.accounts.choose(.automatic)
        #expect(await app.accounts.eventsOnlyHere() == 0)
      }

      /// Appends to both journals, and returns the acknowledged texts.
      ///
      /// It runs on the calling thread, because interrupted processes may block others.
      func write() -> [String] {
        var options = JournalOptions.repeatable(
          device: "extension", user: nil, clock: AdjustableClock(), seed: 7, fileSystem: memory)
        options.lockWaitMilliseconds = 0
        var written: [String] = []
        for (path, text) in zip(paths, ["late-guest", "late-account"]) {
          do throws(EventLogError) {
            let writer = JournalWriter(path: path, options: options, sink: EventList())
            _ = try writer.commit { (batch) throws(EventLogError) in
              let data = JSONObject([.init(name: "text", value: .string(text))])
              _ = try batch.add(EventDraft(type: "note.added", data: data))
            }
            written.append(text)
          } catch {
            #expect([.locked, .journalReplaced, .noJournal].contains(error.code), "\(error)")
          }
        }
        return written
      }

      var journals: [String] {
        get throws { try memory.contents(of: "/Accounts").filter { $0.hasSuffix(".jsonl") } }
      }

      /// Checks that the next opening finishes the removal, and that the account has these texts.
      func check(_ written: [String], _ text: String) async throws {
        try? await app.accounts.close()
        let last = try await AccountProcess(memory, 4, [cloud])
        let file = try #require(try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
        #expect(file.brokenRules.isEmpty && file.removing.isEmpty, "\(text): \(file)")
        try await last.accounts.signIn(as: "ada", guest: .leave)
        try await last.accounts.choose(.automatic)
        #expect(await last.accounts.eventsOnlyHere() == 0, "\(text)")
        let bytes = try memory.contents(
          ofFile: last.current.store.path, maximumBytes: 1 << 24)
        let lines = String(decoding: bytes, as: UTF8.self)
        let missing = (["soup", "stew"] + written).filter { !lines.contains($0) }
        #expect(missing.isEmpty, "\(text): \(missing) missing")
        try await last.accounts.close()
      }
    }

    @Test func `an event appended by another process during a removal is kept or refused`()
      async throws
    {
      let undisturbed = try await SharedAccount(isSynced: true)
      undisturbed.app.disk.resetCounts()
      #expect(try await undisturbed.app.accounts.signOut(.removeIfElsewhere).isRemoved)
      let count = undisturbed.app.disk.failableCount
      try await undisturbed.app.accounts.close()
      for call in Rounds.sample(count) {
        let account = try await SharedAccount(isSynced: true)
        let before = try account.journals
        let written = Mutex<[String]>([])
        account.app.disk.interrupt(after: call) {
          let texts = account.write()
          written.withLock { $0 = texts }
        }
        do throws(EventLogError) {
          let signOut = try await account.app.accounts.signOut(.removeIfElsewhere)
          #expect(signOut == SignOut(isRemoved: true, lost: 0), "call \(call)")
        } catch {
          #expect(error.code == .eventsOnlyHere, "call \(call): \(error)")
          #expect(account.app.current.user == "ada", "call \(call)")
          #expect(try Set(before).isSubset(of: account.journals), "call \(call)")
          // The account can still be used.
          try await account.app.write("tea")
          written.withLock { $0.append("tea") }
        }
        try await account.check(written.withLock(\.self), "call \(call)")
      }
    }

    @Test func `an event appended by another process after a killed removal is kept`()
      async throws
    {
      var isDone = false
      for change in 0..<200 where !isDone {
        let account = try await SharedAccount(isSynced: true)
        account.app.disk.crash(afterChanges: change, with: .inputOutput)
        isDone =
          await failureCode { () throws(EventLogError) in
            _ = try await account.app.accounts.signOut(.removeIfElsewhere)
          } == nil
        try? await account.app.accounts.close()
        try await account.check(account.write(), "change \(change)")
      }
      #expect(isDone)
    }

    @Test func `remove counts events that another process appends before the removal`()
      async throws
    {
      let undisturbed = try await SharedAccount(isSynced: false)
      undisturbed.app.disk.resetCounts()
      let base = try await undisturbed.app.accounts.signOut(.remove).lost
      let count = undisturbed.app.disk.failableCount
      try await undisturbed.app.accounts.close()
      for call in Rounds.sample(count) {
        let account = try await SharedAccount(isSynced: false)
        let written = Mutex<[String]>([])
        account.app.disk.interrupt(after: call) {
          let texts = account.write()
          written.withLock { $0 = texts }
        }
        let signOut = try await account.app.accounts.signOut(.remove)
        let count = written.withLock(\.count)
        #expect(signOut.isRemoved && signOut.lost >= base + count, "call \(call): \(signOut)")
        #expect(try account.journals.isEmpty, "call \(call)")
        try await account.app.accounts.close()
      }
    }

    @Test func `a journal written to after an interrupted removal belongs to its account`()
      async throws
    {
      let account = try await SharedAccount(isSynced: true)
      let ada = try #require(await account.app.accounts.all.first { $0.user == "ada" })
      // The removal is recorded, and then fails.
      account.app.disk.failNext(.remove, with: .inputOutput, times: .max)
      await #expect(throws: EventLogError.self) {
        try await account.app.accounts.signOut(.removeIfElsewhere)
      }
      #expect(account.app.current.isGuest)
      try await account.app.accounts.close()
      #expect(account.write() == ["late-guest", "late-account"])
      let next = try await AccountProcess(account.memory, 4, [account.cloud])
      let known = await next.accounts.all
      #expect(next.current.isGuest && known.map(\.user).contains("ada"))
      #expect(known.first { $0.user == "ada" }?.path == ada.path)
      // The next account doesn't adopt the guest of another one.
      try await next.accounts.signIn(as: "bea")
      #expect(next.meals.isEmpty)
      try await next.accounts.signIn(as: "ada")
      #expect(next.current.choice == .automatic)
      #expect(next.meals == ["soup", "stew"])
      try await next.accounts.close()
      try await account.check(["late-guest", "late-account"], "afterwards")
    }
  }
}
