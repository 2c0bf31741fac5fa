import EventLog
import EventLogRemotes

extension AccountsFolder {
  private static let lockName = "accounts.lock"
  private static let attempts = 10

  /// Changes `accounts.json` under the folder's lock.
  ///
  /// The lock is held only for this change, because the system terminates a suspended app that
  /// holds a lock in a folder shared with an extension. So `body` must not read or write events.
  /// After a crash, the file is the old one or the new one.
  ///
  /// - Parameters:
  ///   - milliseconds: The maximum time to wait for another process.
  ///   - body: Changes the contents.
  /// - Returns: The new contents, and the result of `body`.
  /// - Throws: `locked`; `invalidInput` for a file that is damaged or of a later version;
  ///   `inputOutput`; and the errors of `body`. The file is unchanged then, except after a failed
  ///   sync of its folder.
  func change<Value: Sendable>(
    waiting milliseconds: Int64,
    _ body: @escaping @Sendable (inout AccountsFile) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> (file: AccountsFile, value: Value) {
    // A separate thread, because these calls block on the disk and on other processes.
    try await SerialWorker(label: "eventlog.accounts").perform { () throws(EventLogError) in
      try changeNow(waiting: milliseconds, body)
    }
  }

  /// Changes `accounts.json` after examining the folder without the lock.
  ///
  /// If another process changes the file in the meantime, the folder is examined again. If nothing
  /// changes, the lock isn't taken.
  ///
  /// - Parameters:
  ///   - milliseconds: The maximum time to wait for another process.
  ///   - examine: Examines the folder, and may remove the journals in `removing`.
  ///   - body: Changes the contents. It may run several times.
  /// - Returns: The new contents, and the result of `body`.
  /// - Throws: `locked`, also if other processes keep changing the file; and the errors of
  ///   ``change(waiting:_:)``, `examine` and `body`.
  func change<Found, Value: Sendable>(
    waiting milliseconds: Int64,
    after examine: @escaping @Sendable (AccountsFile) throws(EventLogError) -> Found,
    _ body: @escaping @Sendable (inout AccountsFile, Found) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> (file: AccountsFile, value: Value) {
    try await SerialWorker(label: "eventlog.accounts").perform { () throws(EventLogError) in
      for _ in 0..<Self.attempts {
        let seen = try read() ?? AccountsFile()
        let found = try examine(seen)
        var file = seen
        let value = try body(&file, found)
        if file == seen { return (file, value) }
        let (changed, done) = try changeNow(waiting: milliseconds) {
          (file) throws(EventLogError) -> Value? in
          file == seen ? try body(&file, found) : nil
        }
        if let done { return (changed, done) }
      }
      throw .keepsChanging(path)
    }
  }

  private func changeNow<Value>(
    waiting milliseconds: Int64,
    _ body: (inout AccountsFile) throws(EventLogError) -> Value
  ) throws(EventLogError) -> (file: AccountsFile, value: Value) {
    let lock = try lock(Self.lockName, .create, waiting: milliseconds)
    // Closing the file releases the lock.
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

  /// Opens and locks a file.
  ///
  /// - Throws: `locked`; `inputOutput`; `noJournal` if it doesn't exist and isn't created.
  func lock(
    _ name: String, _ access: FileAccess, waiting milliseconds: Int64
  ) throws(EventLogError) -> JournalFile {
    try fileSystem.lockedFile(
      at: file(name), access, waiting: milliseconds, meaning: "Nothing was changed.")
  }

  /// Replaces `accounts.json` atomically.
  private func write(_ accounts: AccountsFile) throws(EventLogError) {
    let name = file(AccountsFile.name)
    do throws(Errno) { try fileSystem.replaceFile(at: name, with: accounts.encoded) } catch {
      // Journals may have been changed before, as by an adoption, so the error must not say
      // otherwise.
      throw .inputOutput("write", name, error, meaning: "No event is lost.")
    }
  }
}

extension EventLogError {
  /// The error if other processes keep changing `accounts.json`.
  static func keepsChanging(_ folder: String) -> EventLogError {
    EventLogError(
      .locked, "Other processes changed the accounts in \"\(folder)\" each time. No event is lost.",
      hint: "Try again.", at: .init(file: folder))
  }
}
