package import EventLog
package import EventLogRemotes

/// The contents beside a served journal, for one initiator on another machine.
package actor JournalContents: ContentSession {
  private let folder: AttachmentFolder
  private let worker = SerialWorker(label: "eventlog.contents")
  /// The contents here at the beginning of the last listing.
  private var listing: [ContentID] = []
  private var reading: (content: ContentID, file: ContentFile)?
  private var writing: (content: ContentID, part: PartialContent, byteCount: Int64)?

  /// - Parameter journal: The path of the journal.
  package init(beside journal: String, options: JournalOptions = JournalOptions()) {
    folder = AttachmentFolder(
      beside: journal, fileSystem: options.fileSystem, random: options.random)
  }

  /// The maximum number of contents in one answer.
  private static let pageCount = 4096

  package func contents(after sha256: String?) async throws(EventLogError) -> [ContentID] {
    if sha256 == nil {
      let folder = folder
      listing = try await worker.perform { () throws(EventLogError) in
        folder.removeRemains()
        return try folder.contents().map { ContentID(sha256: $0.sha256, byteCount: $0.bytes) }
      }
    }
    let start = sha256.map { hash in listing.partitioningIndex { hash.precedes($0.sha256) } } ?? 0
    return Array(listing[start...].prefix(Self.pageCount))
  }

  package func read(
    _ content: ContentID, at offset: Int64, count: Int
  ) async throws(EventLogError) -> [UInt8]? {
    if reading?.content != content {
      closeReading()
      let folder = folder
      guard let attachment = Attachment(content) else { return nil }
      let file = try await readable { () throws(EventLogError) in
        folder.contains(attachment) ? try ContentFile(attachment, in: folder) : nil
      }
      guard let file else { return nil }
      reading = (content, file)
    }
    guard let reading, offset >= 0, count > 0, Int64(count) <= content.byteCount - offset else {
      return nil
    }
    let file = reading.file
    return try await readable { () throws(EventLogError) in
      try file.read(at: offset, count: count)
    }
  }

  /// Returns nil for a content that can't be read, so that the others can be transferred.
  private func readable<Value: Sendable>(
    _ body: @escaping @Sendable () throws(EventLogError) -> Value?
  ) async throws(EventLogError) -> Value? {
    do throws(EventLogError) { return try await worker.perform(body) } catch {
      guard error.isAboutOneAttachment else { throw error }
      closeReading()
      return nil
    }
  }

  package func begin(_ content: ContentID) async throws(EventLogError) -> Int64? {
    closeWriting()
    let folder = folder
    guard let attachment = Attachment(content), content.byteCount > 0 else { return nil }
    do throws(EventLogError) {
      let part = try await worker.perform { () throws(EventLogError) in
        folder.contains(attachment) ? nil : try PartialContent(attachment, in: folder)
      }
      guard let part else { return content.byteCount }
      writing = (content, part, part.byteCount)
      return part.byteCount
    } catch {
      if error.code == .locked { return nil }
      throw error
    }
  }

  package func write(_ bytes: [UInt8]) async throws(EventLogError) -> Int64 {
    guard let (content, part, offset) = writing, !bytes.isEmpty,
      Int64(bytes.count) <= content.byteCount - offset
    else {
      throw EventLogError(
        .remoteFailed, "The initiator sent a part of no attachment. It was not stored.")
    }
    let end = offset + Int64(bytes.count)
    do throws(EventLogError) {
      try await worker.perform { () throws(EventLogError) in
        try part.write(bytes, at: offset)
        if end == content.byteCount { try part.finish(from: "the initiator") }
      }
    } catch {
      closeWriting()
      if error.code == .damaged { return 0 }
      throw error
    }
    writing = end == content.byteCount ? nil : (content, part, end)
    return end
  }

  package var hasEnded: Bool { false }

  package func leave() {
    closeReading()
    closeWriting()
  }

  private func closeReading() {
    reading?.file.close()
    reading = nil
  }

  private func closeWriting() {
    writing?.part.close()
    writing = nil
  }
}

extension Attachment {
  /// Nil for a hash of another form, which could be a path.
  fileprivate init?(_ content: ContentID) {
    guard ContentHashes.isHash(content.sha256), content.byteCount >= 0 else { return nil }
    self.init(sha256: content.sha256, bytes: content.byteCount, type: "", name: nil)
  }
}

extension PartialContent {
  /// Resumes after any whole part of a pipe.
  init(_ attachment: Attachment, in folder: AttachmentFolder) throws(EventLogError) {
    let partBytes = Int64(ContentID.partBytes)
    // The last part stays to be written, because the content becomes visible with it.
    try self.init(attachment, in: folder) { size in
      max(0, min(size, attachment.bytes - 1)) / partBytes * partBytes
    }
  }
}

extension Array {
  /// The index of the first element for which a condition holds, which then holds for all later
  /// ones.
  fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
