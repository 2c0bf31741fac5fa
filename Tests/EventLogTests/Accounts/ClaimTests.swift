import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog
@testable import EventLogAccounts

extension TwoProcessTests {
  /// Claims by several processes. A guest has one adopter, even if a process fails or is killed.
  ///
  /// An interrupted process blocks its thread, so these tests run serially.
  @Suite struct ClaimTests {
    private let memory = MemoryFileSystem()
    private let list = "/Accounts/accounts.json"

    private var calls: [Int] {
      get async throws { Rounds.sample(try await AccountProcess.signInCallCount() + 1) }
    }

    private func file() throws -> AccountsFile {
      try #require(try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
    }

    @Test func `a failed sign-in in another process keeps the claim of the same account`()
      async throws
    {
      for call in try await calls {
        let memory = MemoryFileSystem()
        let first = try await AccountProcess(memory, 1)
        let second = try await AccountProcess(memory, 2)
        try await first.write("soup")
        try await second.current.store.refresh()
        first.disk.interrupt(after: call) {
          runBlocking {
            // The account's journal can't be created.
            second.disk.failNext(.open, after: 3, with: .tooManyOpenFiles, times: 2)
            _ = try? await second.accounts.signIn(as: "ada")
            second.disk.stopFailing()
            _ = try? await second.accounts.signIn(as: "bea")
          }
        }
        try await first.accounts.signIn(as: "ada")
        try await first.accounts.close()
        try? await second.accounts.close()
        try await AccountProcess.check(memory, "call \(call)")
      }
    }

    @Test func `a guest that another account claims during a sign-in is adopted once`()
      async throws
    {
      for call in try await calls {
        let memory = MemoryFileSystem()
        let process = try await AccountProcess(memory, 1)
        try await process.write("soup")
        let guest = process.current.user
        process.disk.interrupt(after: call) { Self.finishClaims(to: "bea", on: memory) }
        let signIn = try await process.accounts.signIn(as: "ada")
        let file = try #require(try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
        let isLost = file.entry(of: guest)?.adoption?.account == "bea"
        #expect(isLost == (signIn.adoption == nil), "call \(call)")
        #expect(process.meals == (isLost ? [] : ["soup"]), "call \(call)")
        try await process.accounts.close()
      }
    }

    /// Marks claimed guests as adopted by `account`, unless the folder is locked.
    private static func finishClaims(to account: String, on memory: MemoryFileSystem) {
      let folder = AccountsFolder(path: "/Accounts", fileSystem: memory)
      guard let lock = try? memory.open(folder.file("accounts.lock"), .create) else { return }
      defer { memory.close(lock) }
      guard (try? memory.tryLock(lock, exclusive: true)) == true, var file = try? folder.read()
      else { return }
      for entry in file.entries {
        guard case .begun = entry.adoption else { continue }
        file.update(entry.file) { $0.adoption = .done(by: account, bytes: 0) }
      }
      try? memory.replaceFile(at: folder.file(AccountsFile.name), with: file.encoded)
    }

    @Test
    func `signing in again to an anonymous account keeps its claim if the adopter is killed`()
      async throws
    {
      for call in try await calls {
        let memory = MemoryFileSystem()
        let first = try await AccountProcess(memory, 1)
        try await first.accounts.signIn(as: "anon-1", isAnonymous: true)
        try await first.write("soup")
        let second = try await AccountProcess(memory, 2)
        first.disk.interrupt(after: call) {
          runBlocking { _ = try? await second.accounts.signIn(as: "anon-1", isAnonymous: true) }
        }
        first.disk.failNextCall(after: call, with: .inputOutput, times: .max)
        _ = try? await first.accounts.signIn(as: "ada")
        try? await first.accounts.close()
        try await second.accounts.close()
        try await AccountProcess.check(memory, "call \(call)")
      }
    }

    @Test func `an account that another process has linked isn't adopted`() async throws {
      let first = try await AccountProcess(memory, 1)
      try await first.accounts.signIn(as: "anon-1", isAnonymous: true)
      try await first.write("soup")
      let second = try await AccountProcess(memory, 2)
      try await second.accounts.signIn(as: "anon-1")
      let signIn = try await first.accounts.signIn(as: "ada")
      #expect(signIn.adoption == nil && first.meals.isEmpty)
      #expect(try file().entry(of: "anon-1")?.adoption == nil)
      try await first.accounts.close()
      try await second.accounts.close()
    }

    @Test func `undoing an adoption keeps the claim of another account`() async throws {
      let first = try await AccountProcess(memory, 1)
      try await first.write("soup")
      let guest = first.current.user
      try await first.accounts.signIn(as: "ada")
      var file = try file()
      let name = try #require(file.entry(of: guest)?.file)
      let claim = AccountsFile.Adoption.begun(by: "bea", isAnonymous: false)
      file.update(name) { $0.adoption = claim }
      file.entries.append(.init(file: "bea.jsonl", user: "bea"))
      try memory.replaceFile(at: list, with: file.encoded)
      try await first.accounts.undoAdoption(of: guest)
      #expect(try self.file().entry(ofFile: name)?.adoption == claim)
      try await first.accounts.close()
    }

    @Test func `signing in opens the new journal after another process replaced it`() async throws {
      for call in try await calls {
        let memory = MemoryFileSystem()
        let process = try await AccountProcess(memory, 1)
        try await process.write("soup")
        process.disk.interrupt(after: call) {
          Self.replaceJournal(of: "ada", by: "new.jsonl", on: memory)
        }
        try await process.accounts.signIn(as: "ada")
        let file = try #require(try AccountsFolder(path: "/Accounts", fileSystem: memory).read())
        #expect(
          file.brokenRules.isEmpty && file.current == "ada", "call \(call): \(file.brokenRules)")
        let name = Path.name(of: process.current.store.path)
        #expect(file.entry(of: "ada")?.file == name && process.meals == ["soup"], "call \(call)")
        try await process.accounts.close()
      }
    }

    /// Replaces an account's journal in the list, unless the folder is locked.
    private static func replaceJournal(
      of user: String, by name: String, on memory: MemoryFileSystem
    ) {
      let folder = AccountsFolder(path: "/Accounts", fileSystem: memory)
      guard let lock = try? memory.open(folder.file("accounts.lock"), .create) else { return }
      defer { memory.close(lock) }
      guard (try? memory.tryLock(lock, exclusive: true)) == true, var file = try? folder.read(),
        let entry = file.entry(of: user)
      else { return }
      file.entries.removeAll { $0.file == entry.file }
      file.entries.append(.init(file: name, user: user))
      try? memory.replaceFile(at: folder.file(AccountsFile.name), with: file.encoded)
    }
  }
}
