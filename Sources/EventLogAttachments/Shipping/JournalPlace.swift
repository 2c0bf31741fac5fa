import EventLog

/// The attachments beside another journal on this machine.
struct JournalPlace: Sendable {
  let address: String
  private let folder: AttachmentFolder

  /// Nil if the remote isn't such a journal.
  ///
  /// - Parameter own: The folder of the store, whose disk is used.
  init?(_ remote: any Remote, beside own: AttachmentFolder) {
    guard let remote = remote as? JournalRemote else { return nil }
    address = remote.address
    folder = AttachmentFolder(
      beside: remote.path, fileSystem: own.fileSystem, random: own.random)
  }

  func contains(_ attachment: Attachment) -> Bool { folder.contains(attachment) }

  /// Copies a content to the other journal.
  ///
  /// - Throws: `damaged` if the content here doesn't have its hash; `inputOutput`.
  func send(_ attachment: Attachment, from own: AttachmentFolder) throws(EventLogError) {
    try folder.copy(attachment, from: own)
  }

  /// Copies a content from the other journal.
  ///
  /// - Throws: `damaged` if the content there doesn't have its hash; `inputOutput`.
  func fetch(_ attachment: Attachment, into own: AttachmentFolder) throws(EventLogError) {
    try own.copy(attachment, from: folder)
  }
}
