import EventLog

extension AttachmentFolder {
  /// Removes a content unless a process is reading it, or has attached it again meanwhile.
  ///
  /// After a crash, it is there, or a temporary file is left.
  ///
  /// - Returns: Whether it was removed.
  /// - Throws: `inputOutput`.
  func removeUnlessRead(_ attachment: Attachment) throws(EventLogError) -> Bool {
    let file = file(of: attachment.sha256)
    do throws(Errno) {
      let descriptor = try fileSystem.open(file, .read)
      defer { fileSystem.close(descriptor) }
      guard try fileSystem.tryLock(descriptor, exclusive: true) else { return false }
      return try removeUnlessReplaced(attachment.sha256, try fileSystem.status(of: descriptor))
    } catch {
      throw .inputOutput("remove", file, error, meaning: "Nothing else was changed.")
    }
  }

  /// Removes a content, unless its file was written lately.
  ///
  /// It may have been attached again, by a caller that hasn't named it yet. After a crash, it is
  /// there, or a temporary file is left.
  ///
  /// - Parameter limit: The time in nanoseconds since 1970 before which it was written.
  /// - Returns: Whether it was removed.
  /// - Throws: `inputOutput`.
  func remove(_ sha256: String, writtenBefore limit: Int64) throws(EventLogError) -> Bool {
    let file = file(of: sha256)
    do throws(Errno) {
      let before = try fileSystem.status(at: file)
      guard before.kind == .regular, before.modified < limit else { return false }
      return try removeUnlessReplaced(sha256, before)
    } catch {
      throw .inputOutput("remove", file, error, meaning: "Nothing else was changed.")
    }
  }

  /// Removes a content if its file is still the same.
  private func removeUnlessReplaced(
    _ sha256: String, _ before: FileStatus
  ) throws(Errno) -> Bool {
    let (file, aside) = (file(of: sha256), Path.join(path, Path.temporaryName(random)))
    try fileSystem.rename(file, to: aside)
    let status = try fileSystem.status(at: aside)
    guard status.inode == before.inode, status.modified == before.modified else {
      // It was attached again after the first look.
      try fileSystem.rename(aside, to: file)
      return false
    }
    try fileSystem.remove(aside)
    try fileSystem.syncFolder(path)
    return true
  }
}
