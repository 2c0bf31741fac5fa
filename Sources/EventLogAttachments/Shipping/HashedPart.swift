import EventLog

/// A part of a content that was read and hashed.
struct HashedPart: Sendable {
  /// The bytes of a part to put, or none.
  var bytes: [UInt8] = []
  /// The SHA-256 of the part, if the step asks for it.
  var sha256: [UInt8]?
  /// The CRC-32C of the part, or 0 if the step doesn't ask for it.
  var checksum: UInt32 = 0
  /// The hash of the content up to the end of the part.
  var hash: SHA256
}

/// A range of a content that is one part at a place.
struct UploadStep: Sendable {
  enum Use {
    /// The place lacks the part.
    case put
    /// The place has a part that is to be compared with the content here.
    case compare
    /// The place has the bytes of the content here.
    case skip
  }

  let offset: Int64
  let byteCount: Int64
  let use: Use
}

extension ContentFile {
  /// Reads the range of a step, and continues the hash of the content.
  ///
  /// - Parameters:
  ///   - hash: The hash of the bytes before.
  ///   - isHashed: Whether a part to put needs a SHA-256 of its own.
  /// - Throws: `inputOutput`, also if the file is too short.
  func read(
    _ step: UploadStep, after hash: SHA256, isHashed: Bool
  ) throws(EventLogError) -> HashedPart {
    var part = HashedPart(hash: hash)
    if step.use == .put {
      part.bytes = try read(at: step.offset, count: Int(step.byteCount))
      part.hash.add(part.bytes)
      part.checksum = CRC32C.checksum(part.bytes)
      if isHashed {
        let isContent = step.byteCount == attachment.bytes
        part.sha256 = isContent ? part.hash.finish() : SHA256.digest(part.bytes)
      }
      return part
    }
    // The part may have been put by a device with larger parts.
    var (own, offset) = (SHA256(), step.offset)
    while offset < step.offset + step.byteCount {
      let count = min(Int64(AttachmentFolder.chunkBytes), step.offset + step.byteCount - offset)
      let chunk = try read(at: offset, count: Int(count))
      part.hash.add(chunk)
      if step.use == .compare {
        own.add(chunk)
        part.checksum = CRC32C.checksum(chunk, after: part.checksum)
      }
      offset += count
    }
    if step.use == .compare { part.sha256 = own.finish() }
    return part
  }
}
