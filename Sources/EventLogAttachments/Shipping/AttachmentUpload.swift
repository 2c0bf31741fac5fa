import EventLog
import EventLogRemotes

/// Puts the missing parts of a content while it is read and hashed.
///
/// The last missing part waits until the hash of the content was checked, so that a damaged content
/// is never whole at a place. Its other parts stay: removing one could leave a gap in a sound copy
/// that another device has completed meanwhile. So parts that are there may come from a damaged
/// content. They are compared with the content here, and replaced if they differ.
struct AttachmentUpload {
  private let place: AttachmentPlace
  private let content: ContentFile
  private let worker: SerialWorker
  private var record: UploadRecord
  /// When the record was written last.
  private var recordTime = ContinuousClock.now
  /// The offsets of the parts there that have the bytes of the content here.
  private var verified: Set<Int64> = []

  private var attachment: Attachment { content.attachment }

  /// A part there that differs from the content here, and its SHA-256, or nil if it can't be read.
  private typealias Differing = (part: AttachmentPart, sha256: [UInt8]?)

  /// The maximum number of readings. Another device may put other parts meanwhile.
  private static let passesMax = 4

  init(
    _ content: ContentFile, to place: AttachmentPlace, on worker: SerialWorker,
    _ record: UploadRecord
  ) {
    (self.content, self.place, self.worker, self.record) = (content, place, worker, record)
  }

  /// Sends the content.
  ///
  /// - Throws: `damaged` if the content here doesn't have its hash, and isn't whole at the place;
  ///   `inputOutput`; `canceled`; the error of the storage.
  mutating func run(_ listing: inout AttachmentListing) async throws(EventLogError) {
    do throws(EventLogError) {
      var passCount = 0
      while !listing.isWhole(attachment) {
        passCount += 1
        guard passCount <= Self.passesMax else {
          throw nameIsTaken(AttachmentPart(attachment.sha256, at: 0))
        }
        try await pass(&listing)
      }
      record.clear()
      await keepRecord()
    } catch {
      await keepRecord()
      throw error
    }
  }

  /// Reads the content once, and puts what is missing.
  ///
  /// If a part there differs, it is removed, and the content isn't whole at the end.
  private mutating func pass(_ listing: inout AttachmentListing) async throws(EventLogError) {
    let steps = steps(listing)
    let heldIndex = steps.lastIndex { $0.use == .put }
    var held: HashedPart?
    var differing: [Differing] = []
    var next = reading(steps[0], after: SHA256())
    do throws(EventLogError) {
      for (index, step) in steps.enumerated() {
        try EventLogError.checkCancellation()
        let part = try await next.value.get()
        let following = index + 1 < steps.count ? steps[index + 1] : nil
        // Reading a part back takes as much memory as two parts.
        if step.use == .compare, let other = try await compare(part, step) {
          differing.append(other)
        }
        // The next part is read and hashed while this one is put.
        if let following { next = reading(following, after: part.hash) }
        switch step.use {
        case .put where index == heldIndex: held = part
        case .put:
          if let other = try await put(part, step, &listing) { differing.append(other) }
        case .compare, .skip: break
        }
      }
      try content.check(try await next.value.get().hash.finish().hexadecimal)
    } catch {
      // The caller closes the content.
      _ = await next.value
      throw error
    }
    if differing.isEmpty, let held, let heldIndex,
      let other = try await put(held, steps[heldIndex], &listing)
    {
      differing.append(other)
    }
    for (part, sha256) in differing {
      // Another device may have replaced it meanwhile.
      if try await place.bytes(of: part, attachment).map(SHA256.digest) == sha256 {
        try await place.storage.remove(part.name)
      }
      listing.remove(part)
    }
  }

  private func steps(_ listing: AttachmentListing) -> [UploadStep] {
    var (steps, offset) = ([UploadStep](), Int64(0))
    while offset < attachment.bytes {
      let size = listing.size(at: offset, of: attachment)
      let count = size ?? min(Int64(max(1, place.storage.partBytes)), attachment.bytes - offset)
      steps.append(
        UploadStep(
          offset: offset, byteCount: count,
          use: size == nil ? .put : verified.contains(offset) ? .skip : .compare))
      offset += count
    }
    return steps
  }

  private func reading(
    _ step: UploadStep, after hash: SHA256
  ) -> Task<Result<HashedPart, EventLogError>, Never> {
    Task { [content, worker, isHashed = place.isHashed] in
      await worker.perform {
        Result { () throws(EventLogError) in
          try content.read(step, after: hash, isHashed: isHashed)
        }
      }
    }
  }

  // MARK: - The place

  /// Puts a part, unless the place has its bytes.
  ///
  /// - Returns: A part there that differs, or nil.
  private mutating func put(
    _ part: HashedPart, _ step: UploadStep, _ listing: inout AttachmentListing
  ) async throws(EventLogError) -> Differing? {
    var (bytes, sha256, offset) = (part.bytes, part.sha256, step.offset)
    // Another device may have just put smaller parts.
    var attemptCount = 0
    while attemptCount < Self.passesMax {
      let name = AttachmentPart(attachment.sha256, at: offset)
      if try await place.put(name, bytes, sha256: sha256) {
        addPart(name, Int64(bytes.count), &listing)
        if bytes.count == step.byteCount { await addToRecord(step, part.checksum) }
        return nil
      }
      // Removed meanwhile, or its name is taken before it appears.
      guard let existing = try await place.storage.read(name.name) else {
        attemptCount += 1
        continue
      }
      if existing.isEmpty || !bytes.starts(with: existing) {
        return (name, SHA256.digest(existing))
      }
      addPart(name, Int64(existing.count), &listing)
      if existing.count == bytes.count { return nil }
      bytes.removeFirst(existing.count)
      (offset, sha256) = (offset + Int64(existing.count), nil)
    }
    throw nameIsTaken(AttachmentPart(attachment.sha256, at: offset))
  }

  /// Returns a part there if it differs from the content here, or nil.
  private mutating func compare(
    _ part: HashedPart, _ step: UploadStep
  ) async throws(EventLogError) -> Differing? {
    let name = AttachmentPart(attachment.sha256, at: step.offset)
    if !record.contains(step, part.checksum) {
      let bytes = try await place.bytes(of: name, attachment)
      let sha256 = bytes.map(SHA256.digest)
      guard sha256 == part.sha256 else { return (name, sha256) }
      await addToRecord(step, part.checksum)
    }
    verified.insert(step.offset)
    return nil
  }

  private mutating func addPart(
    _ part: AttachmentPart, _ byteCount: Int64, _ listing: inout AttachmentListing
  ) {
    listing.add(part, bytes: byteCount)
    verified.insert(part.offset)
  }

  private func nameIsTaken(_ part: AttachmentPart) -> EventLogError {
    EventLogError(
      remoteFailed: "\"\(place.address)\" has no room for a part of the attachment under its name,"
        + " \(part.name).", hint: "Sync again.")
  }

  // MARK: - The record

  private mutating func addToRecord(_ step: UploadStep, _ checksum: UInt32) async {
    record.add(step, checksum)
    // The process may be killed.
    if recordTime.duration(to: .now) > .seconds(1) { await keepRecord() }
  }

  private mutating func keepRecord() async {
    recordTime = .now
    record = await worker.perform { [record] in
      var record = record
      record.keep()
      return record
    }
  }
}
