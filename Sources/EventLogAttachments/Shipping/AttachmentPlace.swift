import EventLog
import EventLogRemotes

/// The attachments at one remote.
struct AttachmentPlace: Sendable {
  let address: String
  let storage: any ObjectStorage
  /// The remote with the events beside the attachments.
  let events: any StorageRemote

  /// Nil if the remote keeps no attachments: another journal, here or on another machine.
  init?(_ remote: any Remote) {
    guard let events = remote as? any StorageRemote,
      let storage = events.storage(named: "attachments")
    else { return nil }
    (self.storage, self.events, address) = (storage, events, remote.address)
  }

  /// The storage with the limits of a new run.
  private init(_ place: AttachmentPlace) {
    (address, events) = (place.address, place.events)
    storage = (place.storage as? any RetryingStorage)?.forOneRun() ?? place.storage
  }

  func forOneRun() -> AttachmentPlace { AttachmentPlace(self) }

  /// Whether the place takes a content of this size.
  func takes(_ attachment: Attachment) -> Bool {
    storage.contentBytesMax.map { attachment.bytes <= $0 } ?? true
  }

  // MARK: - Sending

  /// Puts the missing parts of a content that is here.
  ///
  /// An interrupted call resumes: parts that the place has aren't put again.
  ///
  /// - Parameter side: The side folder with the upload record.
  /// - Throws: `damaged` if the content here doesn't have its hash, and isn't whole at the place;
  ///   `inputOutput`; `canceled`; the error of the storage.
  func send(
    _ attachment: Attachment, from folder: AttachmentFolder, on worker: SerialWorker,
    _ side: SideFolder, _ listing: inout AttachmentListing
  ) async throws(EventLogError) {
    if listing.isWhole(attachment) { return }
    let content = try await worker.perform { () throws(EventLogError) in
      try ContentFile(attachment, in: folder)
    }
    defer { content.close() }
    let listed = Set(listing.parts(of: attachment.sha256).map(\.offset))
    let record = await worker.perform { [address] in
      UploadRecord(of: attachment.sha256, at: address, in: side, listed: listed)
    }
    var upload = AttachmentUpload(content, to: self, on: worker, record)
    try await upload.run(&listing)
  }

  /// Whether the place takes the SHA-256 of a part.
  var isHashed: Bool { storage is any HashedStorage }

  /// Puts a part unless its name is taken.
  ///
  /// - Parameter sha256: The SHA-256 of the bytes, if it is known.
  func put(
    _ part: AttachmentPart, _ bytes: [UInt8], sha256: [UInt8]?
  ) async throws(EventLogError) -> Bool {
    guard let sha256, let storage = storage as? any HashedStorage else {
      return try await storage.put(part.name, bytes)
    }
    return try await storage.put(part.name, bytes, sha256: sha256)
  }

  /// Reads the parts of a content back, and replaces those that differ from the content here.
  ///
  /// - Returns: Whether a part was replaced.
  /// - Throws: The errors of ``send(_:from:on:_:)``. A part that couldn't be put again is missing,
  ///   and the next sync puts it.
  func restore(
    _ attachment: Attachment, from folder: AttachmentFolder, on worker: SerialWorker,
    _ listing: AttachmentListing
  ) async throws(EventLogError) -> Bool {
    let content = try await worker.perform { () throws(EventLogError) in
      try ContentFile(attachment, in: folder)
    }
    defer { content.close() }
    try await worker.perform { () throws(EventLogError) in try content.check() }
    var (start, hasChanged) = (Int64(0), false)
    for end in listing.ends(of: attachment) {
      try EventLogError.checkCancellation()
      let part = AttachmentPart(attachment.sha256, at: start)
      let (offset, count) = (start, Int(end - start))
      let bytes = try await worker.perform { () throws(EventLogError) in
        try content.read(at: offset, count: count)
      }
      start = end
      if try await readable(part.name) == bytes { continue }
      try await storage.remove(part.name)
      _ = try await storage.put(part.name, bytes)
      hasChanged = true
    }
    return hasChanged
  }

  /// Reads a content back, and returns whether the place has exactly its bytes.
  ///
  /// - Throws: `canceled`; the error of a storage that can't be reached.
  func proves(
    _ attachment: Attachment, _ listing: AttachmentListing
  ) async throws(EventLogError) -> Bool {
    var (hash, start) = (SHA256(), Int64(0))
    for end in listing.ends(of: attachment) {
      try EventLogError.checkCancellation()
      let part = AttachmentPart(attachment.sha256, at: start)
      guard let bytes = try await bytes(of: part, attachment), Int64(bytes.count) == end - start
      else { return false }
      hash.add(bytes)
      start = end
    }
    return start == attachment.bytes && hash.finish().hexadecimal == attachment.sha256
  }

  /// Reads a part of an attachment, or returns nil if it can't be read.
  ///
  /// - Throws: `canceled`; the error of a storage that can't be reached.
  func bytes(
    of part: AttachmentPart, _ attachment: Attachment
  ) async throws(EventLogError) -> [UInt8]? {
    if let bytes = try await readable(part.name) { return bytes }
    // A place that doesn't answer shows nothing about its bytes.
    _ = try await AttachmentListing(of: storage, only: attachment)
    return nil
  }

  /// Reads an object that the place lists, or returns nil if it can't be read.
  private func readable(_ name: String) async throws(EventLogError) -> [UInt8]? {
    do throws(EventLogError) { return try await storage.read(name) } catch {
      guard [.remoteFailed, .inputOutput].contains(error.code) else { throw error }
      return nil
    }
  }

  // MARK: - Fetching

  /// Fetches a content that the listing contains.
  ///
  /// It becomes visible here only after its hash was checked. An interrupted call resumes after the
  /// last whole part.
  ///
  /// - Parameter onProgress: Called with the number of bytes that are here.
  /// - Throws: `damaged` if the content there doesn't have its hash; `locked` if another process is
  ///   fetching it; `remoteFailed` if the place doesn't have it; `inputOutput`; `canceled`; the
  ///   error of the storage.
  func fetch(
    _ attachment: Attachment, into folder: AttachmentFolder, on worker: SerialWorker,
    _ listing: AttachmentListing, onProgress: @Sendable (Int64) -> Void
  ) async throws(EventLogError) {
    let ends = listing.ends(of: attachment)
    guard ends.last ?? 0 == attachment.bytes else { throw missing(attachment) }
    let partial = try await worker.perform { () throws(EventLogError) in
      try PartialContent(attachment, in: folder, ends: ends)
    }
    do throws(EventLogError) {
      var offset = partial.byteCount
      while offset < attachment.bytes {
        try EventLogError.checkCancellation()
        onProgress(offset)
        let part = AttachmentPart(attachment.sha256, at: offset)
        guard let bytes = try await storage.read(part.name),
          Int64(bytes.count) == listing.size(at: offset, of: attachment)
        else { throw unreadable(attachment) }
        let start = offset
        try await worker.perform { () throws(EventLogError) in try partial.write(bytes, at: start) }
        offset += Int64(bytes.count)
      }
      try await worker.perform { [address] () throws(EventLogError) in
        try partial.finish(from: address)
      }
    } catch {
      await worker.perform { partial.close() }
      throw error
    }
  }

  /// The error for a part whose object isn't what the place lists, so that no sync puts it again.
  private func unreadable(_ attachment: Attachment) -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(address)\" lists a part of the attachment \(attachment.shortHash) that can't be read as"
        + " listed. The parts before it are kept.",
      hint: "If it stays so, restore it there from a device that has it, or fetch it from another"
        + " place.")
  }

  private func missing(_ attachment: Attachment) -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(address)\" doesn't have all of the attachment \(attachment.shortHash). Nothing was"
        + " changed.", hint: "A device that has it sends it with its next sync.")
  }
}

extension Attachment {
  /// The beginning of the hash, for messages.
  package var shortHash: String { String(sha256.prefix(12)) }
}
