import EventLog

extension AccountsFolder {
  private static let lockName = "accounts.lock"
  private static let lockAttempts = 10

  /// Changes `accounts.json` while no other process does, and starts from what it contains now.
  ///
  /// The lock is held for this one change: the system ends a suspended app that holds a lock in a
  /// folder it shares with an extension. So `body` must not read or write events. After a crash,
  /// the file is the old one or the new one.
  ///
  /// - Parameters:
  ///   - milliseconds: How long to wait for another process.
  ///   - body: Changes the contents.
  /// - Returns: What the file contains now, and the result of `body`.
  /// - Throws: `locked`; `invalidInput` for a file that is damaged or of a later version;
  ///   `inputOutput`; and the errors of `body`. The file stays as it was, except after a failed
  ///   sync of its folder.
  func change<Value: Sendable>(
    waiting milliseconds: Int64,
    _ body: @escaping @Sendable (inout AccountsFile) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> (file: AccountsFile, value: Value) {
    // The calls below wait for the disk and for other processes.
    try await SerialWorker(label: "eventlog.accounts").perform { () throws(EventLogError) in
      let lock = try lock(waiting: milliseconds)
      // Closing lets go of the lock.
      defer { lock.close() }
      var file = try read() ?? AccountsFile()
      let before = file
      let value = try body(&file)
      if file != before {
        file.checkInvariants()
        try write(file)
      }
      return (file, value)
    }
  }

  private func lock(waiting milliseconds: Int64) throws(EventLogError) -> JournalFile {
    let path = file(Self.lockName)
    for _ in 0..<Self.lockAttempts {
      let file = try JournalFile.open(path, .create, fileSystem: fileSystem)
      do throws(EventLogError) {
        let status = try file.lockCurrent(
          milliseconds: milliseconds, meaning: "Nothing was changed.")
        if status != nil { return file }
      } catch {
        file.close()
        throw error
      }
      file.close()
    }
    throw EventLogError(
      .locked, "\"\(path)\" is removed each time it is locked. Nothing was changed.",
      hint: "Find the process that removes it, or try again.", at: .init(file: path))
  }

  /// Replaces `accounts.json`, whole or not at all.
  private func write(_ accounts: AccountsFile) throws(EventLogError) {
    let name = file(AccountsFile.name)
    do throws(Errno) { try fileSystem.replaceFile(at: name, with: accounts.encoded) } catch {
      // An adoption may have come before it.
      throw .inputOutput("write", name, error, meaning: "No event is lost.")
    }
  }
}
