/// An open journal file and its lock, which is held for one batch at a time.
package struct JournalFile: Sendable {
  package let path: String
  package let descriptor: FileDescriptor
  let fileSystem: any FileSystem
  /// Whether the file didn't exist before it was opened.
  package let isNew: Bool
  package let isWritable: Bool
  /// Identifies the file. It can't be reused while the file is open.
  private let identity: (device: UInt64, inode: UInt64)

  /// Opens `path`.
  ///
  /// - Throws: `noJournal` if the file doesn't exist and `access` isn't `.create`, or its folder
  ///   doesn't exist; `inputOutput` if it isn't a regular file or can't be opened.
  package static func open(
    _ path: String, _ access: FileAccess, fileSystem: any FileSystem
  ) throws(EventLogError) -> JournalFile {
    let verb = access == .read ? "read" : "write to"
    var isOther = false
    var wasMade = false
    do throws(Errno) {
      var isNew = false
      do throws(Errno) {
        let status = try fileSystem.status(at: path)
        guard status.kind == .regular else {
          if status.kind == .folder { throw Errno.isDirectory }
          isOther = true
          throw Errno.invalidArgument
        }
      } catch {
        guard error == .noSuchFile, access == .create else { throw error }
        isNew = true
      }
      let descriptor = try fileSystem.open(path, access)
      do throws(Errno) {
        let status = try fileSystem.status(of: descriptor)
        return JournalFile(
          path: path, descriptor: descriptor, fileSystem: fileSystem, isNew: isNew,
          isWritable: access != .read, identity: (status.device, status.inode))
      } catch {
        fileSystem.close(descriptor)
        wasMade = isNew
        throw error
      }
    } catch {
      if error == .noSuchFile, access == .create { throw .noFolder(of: path, error) }
      if error == .noSuchFile {
        throw EventLogError(
          .noJournal, "There is no journal at \"\(path)\".", hint: "Check the path.",
          at: .init(file: path), cause: error)
      }
      let hint = "A journal is a file, usually named <user>.jsonl."
      if isOther {
        throw EventLogError(
          .inputOutput,
          "Could not \(verb) \"\(path)\": it is a device or a pipe. Nothing was changed.",
          hint: hint, at: .init(file: path), cause: error)
      }
      throw .inputOutput(
        verb, path, error,
        meaning: wasMade ? "It may have been created." : "Nothing was changed.",
        hint: error == .isDirectory ? hint : nil)
    }
  }

  /// - Throws: `noJournal` if the folder of `path` doesn't exist.
  static func checkFolder(
    of path: String, _ fileSystem: any FileSystem
  ) throws(EventLogError) {
    do throws(Errno) { _ = try fileSystem.status(at: Path.folder(of: path)) } catch {
      if error == .noSuchFile { throw .noFolder(of: path, error) }
    }
  }

  package func close() { fileSystem.close(descriptor) }

  package var status: FileStatus {
    get throws(EventLogError) {
      do throws(Errno) { return try fileSystem.status(of: descriptor) } catch {
        throw .inputOutput("read the size of", path, error, meaning: "Nothing was changed.")
      }
    }
  }

  /// Whether the path still leads to this file. False if that can't be determined.
  package var isCurrent: Bool { currentStatus != nil }

  /// The status of the file, or nil if the path no longer leads to it.
  var currentStatus: FileStatus? {
    guard let status = try? fileSystem.status(at: path), status.inode == identity.inode,
      status.device == identity.device
    else { return nil }
    return status
  }

  /// Whether the path leads to another file or to none. False if that can't be determined.
  var isReplaced: Bool {
    do throws(Errno) {
      let status = try fileSystem.status(at: path)
      return status.inode != identity.inode || status.device != identity.device
    } catch { return error == .noSuchFile || error == .notDirectory }
  }

  /// Whether both are the same file.
  func isSame(as other: JournalFile) -> Bool { identity == other.identity }

  /// Takes the lock, waiting at most `milliseconds`.
  ///
  /// - Returns: False if another process kept it.
  package func lock(exclusive: Bool, milliseconds: Int64) throws(EventLogError) -> Bool {
    let deadline = monotonicMilliseconds() + milliseconds
    var pause: Int64 = 1
    while true {
      do throws(Errno) {
        if try fileSystem.tryLock(descriptor, exclusive: exclusive) { return true }
      } catch {
        // Deleting a new file without the lock could lose another process's first append.
        let meaning = isNew ? "The file is new, and stays empty." : "Nothing was changed."
        throw .inputOutput("lock", path, error, meaning: meaning)
      }
      if monotonicMilliseconds() >= deadline { return false }
      sleepMilliseconds(pause)
      // Rare enough to be cheap, frequent enough to catch the pauses of a busy writer.
      pause = min(pause * 2, 5)
    }
  }

  /// Takes the lock if the path still leads to this file.
  ///
  /// It doesn't wait for the lock of a replaced file, which excludes no other process.
  ///
  /// - Parameter meaning: The sentence for the error `locked` that states the effect on the data.
  /// - Returns: The status of the locked file. Nil if it was replaced; the caller then closes it.
  /// - Throws: `locked`; `inputOutput`.
  package func lockCurrent(
    milliseconds: Int64, meaning: String
  ) throws(EventLogError) -> FileStatus? {
    var isLocked = try lock(exclusive: true, milliseconds: 0)
    if !isLocked, isCurrent {
      isLocked = try lock(exclusive: true, milliseconds: milliseconds)
    }
    guard let status = currentStatus else { return nil }
    if isLocked { return status }
    throw .locked(path, milliseconds: milliseconds, meaning: meaning)
  }

  /// - Returns: Whether the lock was released. If not, closing the file releases it.
  @discardableResult
  package func unlock() -> Bool { (try? fileSystem.unlock(descriptor)) != nil }
}

extension EventLogError {
  /// The error for a lock that another process holds.
  static func locked(_ path: String, milliseconds: Int64, meaning: String) -> EventLogError {
    EventLogError(
      .locked,
      "Another process has held the lock on \"\(path)\" for \(milliseconds) ms. \(meaning)",
      hint: "Find the process that holds it (for example with lsof) or try again.",
      at: .init(file: path))
  }

  /// The error for an open file that is no longer at its path.
  static func journalReplaced(_ path: String) -> EventLogError {
    EventLogError(
      .journalReplaced,
      "\"\(path)\" was deleted or replaced while it was open. Nothing was written.",
      hint: "Put the journal back if it was deleted by mistake, then open it again.",
      at: .init(file: path))
  }

  /// The hint for a missing folder.
  package static let noFolderHint = "Create the folder first."

  /// The error for a journal whose folder doesn't exist.
  fileprivate static func noFolder(of path: String, _ cause: Errno) -> EventLogError {
    EventLogError(
      .noJournal, "The folder of the journal \"\(path)\" does not exist.",
      hint: noFolderHint, at: .init(file: path), cause: cause)
  }
}
