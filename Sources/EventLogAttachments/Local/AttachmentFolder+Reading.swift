import EventLog

extension AttachmentFolder {
  /// Checks that the content here has its hash.
  ///
  /// - Throws: `damaged`, `inputOutput`.
  func check(_ attachment: Attachment) throws(EventLogError) {
    let file = file(of: attachment.sha256)
    guard try hash(of: file) == attachment.sha256 else {
      throw EventLogError(
        .damaged,
        "\"\(file)\" is damaged: its bytes don't have the SHA-256 in its name. It was not"
          + " copied.",
        hint: "Fetch it from another copy, or attach the original file again.",
        at: .init(file: file))
    }
  }

  /// Returns a part of a content.
  ///
  /// - Throws: `inputOutput`, also if the file is too short.
  func read(
    _ attachment: Attachment, at offset: Int64, count: Int
  ) throws(EventLogError) -> [UInt8] {
    let file = file(of: attachment.sha256)
    do throws(Errno) {
      let descriptor = try fileSystem.open(file, .read)
      defer { fileSystem.close(descriptor) }
      let bytes = try fileSystem.readBytes(descriptor, at: offset, count: count)
      guard bytes.count == count else { throw Errno.inputOutput }
      return bytes
    } catch {
      throw .inputOutput("read", file, error, meaning: "It was not sent.")
    }
  }
}
