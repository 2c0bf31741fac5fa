import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogAccounts

extension TwoProcessTests {
  /// How long the lock of an accounts folder is held.
  ///
  /// An interrupted process blocks its thread, so these tests run serially.
  @Suite struct FolderLockTests {
    /// Creates a folder of unlisted journals, of `count` accounts and a guest adopted by the first
    /// one.
    private func folder(_ count: Int) async throws -> MemoryFileSystem {
      let memory = MemoryFileSystem()
      let process = try await AccountProcess(memory, 1)
      try await process.write("soup")
      for number in 0..<count {
        try await process.accounts.signIn(as: "user-\(number)")
        try await process.write("meal\(number)")
      }
      try await process.accounts.close()
      try memory.remove("/Accounts/accounts.json")
      return memory
    }

    /// Returns the number of file system calls that opening a folder makes under the lock.
    private func callsUnderLock(ofOpening memory: MemoryFileSystem) async throws -> Int {
      let disk = InstrumentedFileSystem(memory)
      let count = Mutex(0)
      @Sendable func examine() {
        if Self.isLocked(memory) { count.withLock { $0 += 1 } }
        disk.interrupt(after: 0) { examine() }
      }
      disk.interrupt(after: 0) { examine() }
      let process = try await AccountProcess(disk, 2)
      try await process.accounts.close()
      return count.withLock { $0 }
    }

    private static func isLocked(_ memory: MemoryFileSystem) -> Bool {
      guard let lock = try? memory.open("/Accounts/accounts.lock", .read) else { return false }
      defer { memory.close(lock) }
      return (try? memory.tryLock(lock, exclusive: true)) == false
    }

    @Test func `opening a folder reads its journals without the lock`() async throws {
      let few = try await callsUnderLock(ofOpening: try await folder(1))
      let many = try await callsUnderLock(ofOpening: try await folder(4))
      #expect(few > 0 && many == few, "\(few) calls for 1 account, \(many) for 4")
    }

    @Test func `opening a folder takes no lock if nothing changes`() async throws {
      let memory = try await folder(1)
      try await AccountProcess(memory, 2).accounts.close()
      #expect(try await callsUnderLock(ofOpening: memory) == 0)
    }

    @Test func `opening a folder removes journals without the lock`() async throws {
      var counts: [Int] = []
      for count in [1, 4] {
        let memory = try await folder(count)
        try await AccountProcess(memory, 2).accounts.close()
        let folder = AccountsFolder(path: "/Accounts", fileSystem: memory)
        var file = try #require(try folder.read())
        (file.removing, file.entries, file.current) = (
          file.entries.map { .init(entry: $0, bytes: folder.size(of: $0.file)) }, [], nil
        )
        try memory.replaceFile(at: folder.file(AccountsFile.name), with: file.encoded)
        counts.append(try await callsUnderLock(ofOpening: memory))
        #expect(try folder.journals().isEmpty)
      }
      #expect(counts[0] > 0 && counts[0] == counts[1], "\(counts)")
    }

    @Test func `opening a folder keeps the changes of another process`() async throws {
      let count = try await openingCallCount()
      for call in Rounds.sample(count) {
        let memory = try await folder(1)
        let list = AccountsFolder(path: "/Accounts", fileSystem: memory)
        let disk = InstrumentedFileSystem(memory)
        disk.interrupt(after: call) {
          runBlocking {
            guard let second = try? await AccountProcess(memory, 3) else { return }
            _ = try? await second.accounts.signIn(as: "eve")
            try? await second.write("tea")
            try? await second.accounts.close()
          }
        }
        let first = try await AccountProcess(disk, 2)
        try await first.accounts.close()
        let file = try #require(try list.read())
        #expect(file.brokenRules.isEmpty, "call \(call): \(file.brokenRules)")
        #expect(file.entries.contains { $0.adoption?.account == "user-0" }, "call \(call)")
        try await AccountProcess.check(memory, "call \(call)")
      }
    }

    private func openingCallCount() async throws -> Int {
      let process = try await AccountProcess(try await folder(1), 2)
      defer { Task { try? await process.accounts.close() } }
      return process.disk.failableCount
    }
  }
}
