import EventLog

extension AttachmentFolder {
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
      let aside = Path.join(path, Path.temporaryName(random))
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
    } catch {
      throw .inputOutput("remove", file, error, meaning: "Nothing else was changed.")
    }
  }
}
