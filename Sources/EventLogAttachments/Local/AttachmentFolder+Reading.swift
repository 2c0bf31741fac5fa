import EventLog

extension AttachmentFolder {
  /// Checks that the content here has its hash.
  ///
  /// - Throws: `damaged`, `inputOutput`.
  func check(_ attachment: Attachment) throws(EventLogError) {
    let file = file(of: attachment.sha256)
    guard try hash(of: file) == attachment.sha256 else { throw damaged(file) }
  }

  func damaged(_ file: String) -> EventLogError {
    EventLogError(
      .damaged,
      "\"\(file)\" is damaged: its bytes don't have the SHA-256 in its name. It was not copied.",
      hint: "Fetch it from another copy, or attach the original file again.",
      at: .init(file: file))
  }

  /// Returns a content after checking its hash.
  ///
  /// - Throws: `damaged`, `inputOutput`.
  func content(of attachment: Attachment) throws(EventLogError) -> [UInt8] {
    let content = try ContentFile(attachment, in: self)
    defer { content.close() }
    try content.check()
    return try content.read(at: 0, count: Int(attachment.bytes))
  }
}
