import EventLog
import EventLogRemotes

extension AccountsFolder {
  /// A journal that no process can append to.
  struct LockedJournal: Sendable {
    let name: String
    /// The locked file, or nil if the journal doesn't exist or is removed without a lock.
    let file: JournalFile?
    /// Whether the file may be removed. False if it didn't exist, because another process may have
    /// created it since.
    let isRemovable: Bool

    func close() { file?.close() }
  }

  /// The outcome of removing journals.
  struct RemovalResult: Sendable {
    var removed: [String] = []
    /// The journals to which another process has written since their events were counted.
    var kept: [String] = []
    /// The first error.
    var failure: EventLogError?
  }

  /// Locks journals, so that no process can append to them. The caller must close them.
  ///
  /// After the removal, the append of another process fails, because its journal doesn't exist.
  ///
  /// - Returns: Nil if another process has written to one of them since its events were counted.
  /// - Throws: `locked`; `inputOutput`.
  func lock(
    _ removals: [AccountsFile.Removal], waiting milliseconds: Int64
  ) async throws(EventLogError) -> [LockedJournal]? {
    try await SerialWorker(label: "eventlog.accounts").perform { () throws(EventLogError) in
      try lockNow(removals, waiting: milliseconds)
    }
  }

  /// Removes locked journals, ignoring errors.
  func remove(_ journals: [LockedJournal]) async {
    await SerialWorker(label: "eventlog.accounts").perform {
      for journal in journals { try? remove(journal) }
    }
  }

  /// Removes journals, except those to which another process has written since their events were
  /// counted.
  func remove(_ removals: [AccountsFile.Removal]) -> RemovalResult {
    var result = RemovalResult()
    for removal in removals {
      do throws(EventLogError) {
        // The next opening retries a journal that is locked now.
        guard let locked = try lockNow([removal], waiting: 0) else {
          result.kept.append(removal.file)
          continue
        }
        defer { for journal in locked { journal.close() } }
        for journal in locked { try remove(journal) }
        result.removed.append(removal.file)
      } catch {
        result.failure = result.failure ?? error
      }
    }
    return result
  }

  /// Removes a journal and its side folder.
  private func remove(_ journal: LockedJournal) throws(EventLogError) {
    try fileSystem.removeJournal(
      at: file(journal.name), keepsFile: !journal.isRemovable,
      meaning: "The user is signed out; what is left of the journal is removed later.")
    try? fileSystem.syncFolder(path)
  }

  /// Locks journals.
  ///
  /// - Returns: Nil if one of them has changed. All locks are released then.
  private func lockNow(
    _ removals: [AccountsFile.Removal], waiting milliseconds: Int64
  ) throws(EventLogError) -> [LockedJournal]? {
    var locked: [LockedJournal] = []
    var isUnchanged = false
    defer { if !isUnchanged { for journal in locked { journal.close() } } }
    // All processes lock in the same order, which prevents deadlocks.
    for removal in removals.sorted(by: { $0.file.precedes($1.file) }) {
      guard let bytes = removal.bytes else {
        locked.append(LockedJournal(name: removal.file, file: nil, isRemovable: true))
        continue
      }
      let file = try lockJournal(removal.file, waiting: milliseconds)
      locked.append(LockedJournal(name: removal.file, file: file, isRemovable: file != nil))
      if file != nil, size(of: removal.file) != bytes { return nil }
    }
    isUnchanged = true
    return locked
  }

  /// - Returns: Nil if the journal doesn't exist.
  private func lockJournal(
    _ name: String, waiting milliseconds: Int64
  ) throws(EventLogError) -> JournalFile? {
    do throws(EventLogError) { return try lock(name, .readWrite, waiting: milliseconds) } catch {
      if error.code == .noJournal { return nil }
      throw error
    }
  }
}
