/// The lines that a writer has written but not synced.
///
/// ```
///          write              begin              finish
///  synced ───────▶ unsynced ──────────▶ syncing ────────▶ synced
///                   │    ▲               │   │
///                   │    └───────────────┘   │
///                   │ finish after a write   │ failed
///                   └──────────────────────▶ failed
///                      failed, before the lines of a fresh device
/// ```
///
/// A further write leaves the lines unsynced, or is added to those that wait for the next sync. A
/// commit that rewrites unsynced lines syncs them at once.
enum SyncState {
  case synced
  /// Lines wait for a sync.
  case unsynced
  /// A sync is running, and lines that were written meanwhile may wait for the next one.
  case syncing(isOwed: Bool)
  /// A sync has failed, so it is unknown what survives a power loss.
  case failed(Errno)

  var isSyncing: Bool { if case .syncing = self { true } else { false } }
  /// Whether lines wait for a sync that has not begun.
  var isOwed: Bool {
    switch self {
    case .synced, .failed: false
    case .unsynced: true
    case .syncing(let isOwed): isOwed
    }
  }

  mutating func begin() { self = .syncing(isOwed: false) }

  /// Records that lines were written.
  mutating func noteWritten() {
    switch self {
    case .synced, .unsynced: self = .unsynced
    case .syncing: self = .syncing(isOwed: true)
    case .failed: break
    }
  }

  /// Asserts what holds in each state, and that the transition is one of the diagram's.
  func checkInvariants(after old: SyncState) {
    switch (old, self) {
    case (.failed, .synced), (.failed, .unsynced), (.failed, .syncing):
      assertionFailure("what survives a failed sync stays unknown")
    case (.synced, .syncing): assertionFailure("nothing is left to sync")
    default: break
    }
  }
}

/// A sync of everything that a writer has written so far.
///
/// It can run on any thread, because it uses nothing that the writer changes.
package struct SyncJob: Sendable {
  fileprivate let fileSystem: any FileSystem
  fileprivate let file: FileDescriptor
  /// The journal's folder, if the file's name may not be synced yet.
  fileprivate let folder: String?
  /// The end of the lines that are synced.
  fileprivate let offset: Int64
  /// The last own event that is synced.
  fileprivate let own: WriterIdentity.OwnEnd?

  /// Waits for the disk.
  ///
  /// - Returns: The error if it failed.
  package func run() -> Errno? {
    do throws(Errno) {
      try fileSystem.sync(file)
      if let folder { try fileSystem.syncFolder(folder) }
      return nil
    } catch { return error }
  }
}

extension JournalWriter {
  /// Returns the sync of everything written so far, which the caller has to run and finish.
  func beginSync(of file: JournalFile) -> SyncJob {
    assert(!syncState.isSyncing, "one sync runs at a time")
    syncState.begin()
    // Before the first synced event of a device of this file, the file's name isn't synced either.
    let isNew = !identity.isOfThisFile || identity.record?.sequence == 0
    return SyncJob(
      fileSystem: fileSystem, file: file.descriptor, folder: isNew ? Path.folder(of: path) : nil,
      offset: pass.endOffset, own: identity.ownEnd(in: pass.ledger))
  }

  /// Ends a commit after its sync has run, and releases the lock.
  ///
  /// - Throws: `syncFailed` if it failed; `inputOutput` if the journal can't be read again.
  package func finish(_ sync: SyncJob, failure: Errno?) throws(EventLogError) {
    defer { if let file = reader.file { unlock(file) } }
    if let failure {
      reader.distrust()
      throw failed(failure)
    }
    guard case .syncing(let isOwed) = syncState, let file = reader.file else { return }
    syncState = isOwed ? .unsynced : .synced
    syncedOffset = sync.offset
    identity.noteSynced(upTo: sync.offset, sync.own)
    // After a failed append meanwhile, the next one reads the journal again.
    if isWhole || pass.ledger.mustReread { try rereadIfNeeded(file) }
  }

  /// Syncs the lines of buffered commits.
  ///
  /// - Throws: `syncFailed`, after which the writer refuses all later commits; `locked`.
  package func sync() throws(EventLogError) {
    try checkSync()
    if syncState.isOwed { try commit { (_) throws(EventLogError) in } }
  }

  /// - Throws: `syncFailed` if a sync has failed.
  func checkSync() throws(EventLogError) {
    if case .failed(let cause) = syncState { throw Self.syncFailed(path, cause) }
  }

  /// Refuses all later commits, and returns the error of this one.
  func failed(_ cause: Errno) -> EventLogError {
    syncState = .failed(cause)
    return Self.syncFailed(path, cause)
  }

  private static func syncFailed(_ path: String, _ cause: Errno) -> EventLogError {
    EventLogError(
      .syncFailed,
      "The disk did not confirm the last append to \"\(path)\": \(cause). It may not survive a"
        + " power loss, and the journal accepts no appends until it is reopened.",
      hint: "Check the disk, then reopen the journal, which rewrites its end.",
      at: .init(file: path), cause: cause)
  }
}
