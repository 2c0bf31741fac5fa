public import EventLog
import EventLogRemotes

extension EventStore {
  /// Stores bytes as an attachment, to be written to a field.
  ///
  /// ```swift
  /// let photo = try await store.attach(bytes, type: "image/jpeg", name: "soup.jpg")
  /// try await store.edit(soup) { $0.photo = photo }
  /// ```
  ///
  /// The content is in the folder `NAME.attachments/` beside the journal and durable when the call
  /// returns; the same content is stored once. Nothing names it before you write the attachment to
  /// a field. Do so within a day: if the content was named and released before,
  /// ``Attachments/release(dryRun:)`` may remove it then. After a crash, the content is there as a
  /// whole or not at all.
  ///
  /// Images and videos lose the position at which they were taken, unless the options keep it.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - type: The media type, such as `image/jpeg`.
  ///   - name: The name of the file, as a label.
  ///   - remotes: The remotes that the attachment will be sent to. Some take only contents up to a
  ///     size, which is checked before anything is attached.
  ///   - options: The limit, and whether to keep the position.
  /// - Returns: The attachment.
  /// - Throws: `invalidInput` if the content is too large, also for a remote, if the type isn't
  ///   one, or if the position can't be removed; `inputOutput`. Nothing was attached then.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public func attach(
    _ bytes: [UInt8], type: String, name: String? = nil, for remotes: [any Remote] = [],
    options: AttachmentOptions = AttachmentOptions()
  ) async throws(EventLogError) -> Attachment {
    let (folder, limit) = (attachmentFolder, ContentLimit(of: remotes))
    return try await Self.worker.perform { () throws(EventLogError) in
      try limit?.check(byteCount: Int64(bytes.count), name ?? "the data")
      return try folder.store(bytes, type: type, name: name, options: options)
    }
  }

  /// Stores the content of a file as an attachment, to be written to a field.
  ///
  /// The file is copied in pieces, and isn't changed. Otherwise, it does the same as
  /// ``attach(_:type:name:for:options:)``.
  ///
  /// - Parameters:
  ///   - path: The path of a regular file.
  ///   - type: The media type, or `nil` for that of the file's name.
  ///   - remotes: The remotes that the attachment will be sent to.
  ///   - options: The limit, and whether to keep the position.
  /// - Returns: The attachment, with the name of the file.
  /// - Throws: `invalidInput` also for a link, a folder, and a file that changes meanwhile.
  public func attach(
    fileAt path: String, type: String? = nil, for remotes: [any Remote] = [],
    options: AttachmentOptions = AttachmentOptions()
  ) async throws(EventLogError) -> Attachment {
    let (folder, limit) = (attachmentFolder, ContentLimit(of: remotes))
    return try await Self.worker.perform { () throws(EventLogError) in
      if let limit, let status = try? folder.fileSystem.status(at: path) {
        try limit.check(byteCount: status.size, path)
      }
      return try folder.store(fileAt: path, type: type, options: options)
    }
  }

  /// Copies the contents beside another journal that aren't here, such as those of a guest whose
  /// events an account has adopted.
  ///
  /// Each one is checked first. Damaged ones are left out, and stay where they are. A call that was
  /// interrupted can be repeated.
  ///
  /// - Parameter journal: The path of the other journal, which needn't exist any more.
  /// - Returns: The number of contents that were copied.
  /// - Throws: `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the number of bytes that are copied.
  @discardableResult
  public func copyAttachments(fromJournalAt journal: String) async throws(EventLogError) -> Int {
    let folder = attachmentFolder
    let other = AttachmentFolder(
      beside: journal, fileSystem: options.fileSystem, random: options.random)
    return try await Self.worker.perform { () throws(EventLogError) in
      try folder.copyContents(from: other)
    }
  }

  package var attachmentFolder: AttachmentFolder {
    AttachmentFolder(beside: path, fileSystem: options.fileSystem, random: options.random)
  }

  private static let worker = SerialWorker(label: "eventlog.attaching")
}

/// The size of the largest content that every one of some remotes takes.
private struct ContentLimit: Sendable {
  let bytesMax: Int64
  let address: String

  /// Nil if they take contents of any size.
  init?(of remotes: [any Remote]) {
    let limits = remotes.compactMap { AttachmentPlace($0) }.compactMap { place in
      place.storage.contentBytesMax.map { (bytesMax: $0, place.address) }
    }
    guard let least = limits.min(by: { $0.bytesMax < $1.bytesMax }) else { return nil }
    (bytesMax, address) = least
  }

  /// - Throws: `invalidInput`.
  func check(byteCount: Int64, _ name: String) throws(EventLogError) {
    if byteCount <= bytesMax { return }
    throw EventLogError(
      .invalidInput,
      "\"\(name)\" has \(byteCount) bytes, and \"\(address)\" takes attachments of at most"
        + " \(bytesMax). Nothing was attached.", hint: "Make it smaller.")
  }
}
