import EventLog

/// A content that is being fetched, in the file `SHA256.part`.
///
/// The lock of the file keeps two processes from fetching the same content at once. The file isn't
/// synced before it is complete: after a power loss, its hash shows whether the bytes survived.
struct PartialContent: Sendable {
  private let attachment: Attachment
  private let folder: AttachmentFolder
  private let file: FileDescriptor
  /// The number of bytes from an interrupted call.
  let byteCount: Int64

  private var path: String { folder.partialFile(of: attachment.sha256) }

  /// - Parameter resumption: Returns the offset at which a call can resume, given the size of what
  ///   an interrupted one has left.
  /// - Throws: `locked`, `inputOutput`.
  init(
    _ attachment: Attachment, in folder: AttachmentFolder, resumption: (Int64) -> Int64
  ) throws(EventLogError) {
    (self.attachment, self.folder) = (attachment, folder)
    let (fileSystem, path) = (folder.fileSystem, folder.partialFile(of: attachment.sha256))
    let isLocked: Bool
    do throws(Errno) {
      try folder.make()
      file = try fileSystem.open(path, .create)
      do throws(Errno) {
        let hasLock = try fileSystem.tryLock(file, exclusive: true)
        let status = try fileSystem.status(of: file)
        // Another process may have just renamed the file, after it was opened here.
        isLocked = hasLock && (try? fileSystem.status(at: path))?.inode == status.inode
        let size = isLocked ? status.size : 0
        byteCount = resumption(size)
        if size > byteCount { try fileSystem.truncate(file, to: byteCount) }
      } catch {
        fileSystem.close(file)
        throw error
      }
    } catch {
      throw .inputOutput("write", path, error, meaning: "The attachment was not fetched.")
    }
    if isLocked { return }
    fileSystem.close(file)
    throw EventLogError(
      .locked, "Another process is fetching the attachment \(attachment.shortHash).",
      hint: "Try again when it is done.")
  }

  /// - Parameter ends: The offsets after which a call can resume.
  /// - Throws: `locked`, `inputOutput`.
  init(
    _ attachment: Attachment, in folder: AttachmentFolder, ends: [Int64]
  ) throws(EventLogError) {
    try self.init(attachment, in: folder) { size in ends.last { $0 <= size } ?? 0 }
  }

  func close() { folder.fileSystem.close(file) }

  func write(_ bytes: [UInt8], at offset: Int64) throws(EventLogError) {
    do throws(Errno) { try folder.fileSystem.writeAll(file, bytes, at: offset) } catch {
      // Don't keep a full disk full.
      if error == .noSpace || error == .quotaExceeded { try? folder.fileSystem.remove(path) }
      throw .inputOutput(
        "write", path, error, meaning: "The attachment was not fetched.",
        hint: "Free some space, and fetch it again.")
    }
  }

  /// Checks the hash, syncs, renames, and closes the file.
  ///
  /// - Throws: `damaged`, `inputOutput`. The file stays open then.
  func finish(from address: String) throws(EventLogError) {
    let fileSystem = folder.fileSystem
    let isSound: Bool
    do throws(Errno) {
      isSound = try folder.hash(file) == attachment.sha256
      if !isSound { try fileSystem.remove(path) }
    } catch {
      throw .inputOutput("read", path, error, meaning: "The attachment was not fetched.")
    }
    guard isSound else { throw damaged(at: address) }
    do throws(Errno) {
      try fileSystem.sync(file)
      try fileSystem.rename(path, to: folder.file(of: attachment.sha256))
      try fileSystem.syncFolder(folder.path)
    } catch {
      throw .inputOutput("write", path, error, meaning: "The attachment was not fetched.")
    }
    close()
  }

  private func damaged(at address: String) -> EventLogError {
    EventLogError(
      .damaged,
      "The attachment \(attachment.shortHash) at \"\(address)\" is damaged: its bytes don't have"
        + " its SHA-256. Nothing of it was kept.",
      hint: "Restore it there from a device that has it, or fetch it from another place.")
  }
}
