import EventLog

extension AttachmentFolder {
  /// Whether a journal's lines may name an attachment.
  ///
  /// A search for bytes takes less time than reading a state. An event can escape the letters of a
  /// name, but none that Eventlog writes does.
  ///
  /// - Returns: True also if the file can't be read.
  /// - Complexity: O(size of the file), up to the first name.
  package func mayBeNamed(in journal: String) -> Bool {
    // The end of "sha256": begins with a rare letter, at which the search stops each time.
    mayContain("ha256\":", journal)
  }

  /// Whether a journal's lines may name a content.
  ///
  /// - Returns: True also if the file can't be read.
  package func mayBeNamed(_ sha256: String, in journal: String) -> Bool {
    mayContain(sha256, journal)
  }

  private func mayContain(_ pattern: String, _ journal: String) -> Bool {
    let chunkBytes = 1 << 20
    guard let descriptor = try? fileSystem.open(journal, .read) else { return true }
    defer { fileSystem.close(descriptor) }
    var (offset, rest) = (Int64(0), [UInt8]())
    while true {
      guard let chunk = try? fileSystem.readBytes(descriptor, at: offset, count: chunkBytes) else {
        return true
      }
      if chunk.isEmpty { return false }
      rest += chunk
      if rest.containsBytes(of: pattern) { return true }
      rest = Array(rest.suffix(pattern.utf8.count - 1))
      offset += Int64(chunk.count)
    }
  }
}
