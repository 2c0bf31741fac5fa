import EventLog
import EventLogRemotes

/// The folder of the journals of crash reports.
struct CrashFolder: Sendable {
  let path: String
  let fileSystem: any FileSystem

  func file(_ name: String) -> String { Path.join(path, name) }

  func create() throws(EventLogError) {
    try fileSystem.createFolder(at: path, meaning: "No report was taken in.")
  }

  /// Locks the folder until ``unlock(_:)``.
  ///
  /// - Throws: `locked` if another process or value has it open.
  func lock() throws(EventLogError) -> JournalFile {
    let lock = file("crashes.lock")
    do throws(EventLogError) {
      return try fileSystem.lockedFile(
        at: lock, .create, waiting: 0, meaning: "No report was taken in.")
    } catch {
      guard error.code == .locked else { throw error }
      throw EventLogError(
        .locked,
        "The crash reports in \"\(path)\" are open already, here or in another process.",
        hint: "Open them once, or close the other one first.", at: .init(file: lock))
    }
  }

  /// Unlocks the folder, also for a child process that was just forked and shares the lock.
  func unlock(_ lock: JournalFile) {
    lock.unlock()
    lock.close()
  }

  /// Returns the state, with the journals that it doesn't list.
  ///
  /// A journal is unlisted if the state was lost. Its age is unknown, so it is treated as new.
  func state(now: Timestamp) throws(EventLogError) -> CrashJournalState {
    var state = CrashJournalState()
    let file = file(CrashJournalState.name)
    let bytes = try fileSystem.contentsIfPresent(
      ofFile: file, maximumBytes: CrashJournalState.bytesMax, meaning: "No report was taken in.")
    if let bytes { state = try CrashJournalState(bytes, at: file) }
    let names = (try? fileSystem.contents(of: path)) ?? []
    for name in names where name.hasSuffix(".jsonl") {
      let user = String(name.dropLast(6))
      guard CrashJournalState.isUser(user), !state.entries.contains(where: { $0.user == user })
      else { continue }
      state.entries.insert(.init(user: user, created: now), at: 0)
    }
    return state
  }

  func write(_ state: CrashJournalState) throws(EventLogError) {
    let name = file(CrashJournalState.name)
    do throws(Errno) { try fileSystem.replaceFile(at: name, with: state.bytes) } catch {
      throw .inputOutput("write", name, error, meaning: "The previous state is kept.")
    }
  }

  /// Removes a journal with its side folder, as far as they exist.
  func remove(_ entry: CrashJournalState.Entry) throws(EventLogError) {
    try fileSystem.removeJournal(
      at: file(entry.file), meaning: "Its reports stay on this device.")
  }
}
