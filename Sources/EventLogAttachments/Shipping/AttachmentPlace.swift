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
  /// An interrupted call resumes: parts that the listing contains aren't put again.
  ///
  /// - Returns: The number of bytes that were put.
  /// - Throws: `damaged` if the content here doesn't have its hash, and nothing was put;
  ///   `inputOutput`; `canceled`; the error of the storage.
  func send(
    _ attachment: Attachment, from folder: AttachmentFolder, on worker: SerialWorker,
    _ listing: inout AttachmentListing
  ) async throws(EventLogError) -> Int64 {
    if listing.isWhole(attachment) { return 0 }
    let content = try await worker.perform { () throws(EventLogError) in
      try ContentFile(attachment, in: folder)
    }
    defer { content.close() }
    try await worker.perform { () throws(EventLogError) in try content.check() }
    var (offset, sent) = (Int64(0), Int64(0))
    while offset < attachment.bytes {
      try EventLogError.checkCancellation()
      if let size = listing.size(at: offset, of: attachment) {
        offset += size
        continue
      }
      let count = min(Int64(max(1, storage.partBytes)), attachment.bytes - offset)
      let start = offset
      let bytes = try await worker.perform { () throws(EventLogError) in
        try content.read(at: start, count: Int(count))
      }
      let part = AttachmentPart(attachment.sha256, at: offset)
      let isNew = try await storage.put(part.name, bytes)
      let size = isNew ? count : try await replace(part, unlessContaining: bytes)
      if isNew { sent += count }
      listing.add(part, bytes: size)
      offset += size
    }
    return sent
  }

  /// Replaces an object whose name was taken although the listing didn't contain the part.
  ///
  /// Another device may have just put the part, in the same size or a smaller one. Any other object
  /// is the rest of a failed put.
  ///
  /// - Returns: The size of the part.
  private func replace(
    _ part: AttachmentPart, unlessContaining bytes: [UInt8]
  ) async throws(EventLogError) -> Int64 {
    if let existing = try await storage.read(part.name) {
      if !existing.isEmpty, bytes.starts(with: existing) { return Int64(existing.count) }
      try await storage.remove(part.name)
    }
    guard try await storage.put(part.name, bytes) else {
      throw EventLogError(
        remoteFailed: "\"\(address)\" has no room for a part of the attachment under its name,"
          + " \(part.name). The content here is complete.", hint: "Sync again.")
    }
    return Int64(bytes.count)
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
      guard let bytes = try await readable(part.name), Int64(bytes.count) == end - start else {
        // A place that doesn't answer proves nothing about its bytes.
        _ = try await AttachmentListing(of: storage, only: attachment)
        return false
      }
      hash.add(bytes)
      start = end
    }
    return start == attachment.bytes && hash.finish().hexadecimal == attachment.sha256
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
