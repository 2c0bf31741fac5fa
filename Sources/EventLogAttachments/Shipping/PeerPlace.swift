import EventLog
import EventLogRemotes

/// The attachments beside a journal on another machine.
struct PeerPlace: Sendable {
  let address: String
  private let remote: any ContentRemote

  /// Nil if the remote isn't such a journal.
  init?(_ remote: any Remote) {
    guard let remote = remote as? any ContentRemote else { return nil }
    (self.remote, address) = (remote, remote.address)
  }

  /// Connects for the time of a call.
  ///
  /// - Throws: The errors of the remote, and those of `body`.
  func connected<Value: Sendable>(
    _ body: (any ContentSession) async throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let session = try await remote.connectToContents()
    let result: Result<Value, EventLogError>
    do throws(EventLogError) { result = .success(try await body(session)) } catch {
      result = .failure(error)
    }
    await session.leave()
    return try result.get()
  }

  /// The maximum number of listed contents.
  private static let countMax = 1 << 22

  /// Lists the contents there.
  func contents(_ session: any ContentSession) async throws(EventLogError) -> Set<ContentID> {
    var (found, last) = (Set<ContentID>(), String?.none)
    while true {
      let page = try await session.contents(after: last)
      guard let end = page.last else { return found }
      found.formUnion(page)
      last = end.sha256
      guard found.count <= Self.countMax else {
        throw EventLogError(
          remoteFailed: "The listing of \"\(address)\" doesn't end. Nothing was changed.")
      }
    }
  }

  /// Sends a content. An interrupted call resumes.
  ///
  /// - Throws: `damaged` if the content here doesn't have its hash, or arrived otherwise; `locked`
  ///   if another process sends it there; `inputOutput`; `canceled`; the error of the remote.
  func send(
    _ attachment: Attachment, from folder: AttachmentFolder, on worker: SerialWorker,
    _ session: any ContentSession
  ) async throws(EventLogError) {
    let content = try await worker.perform { () throws(EventLogError) in
      try ContentFile(attachment, in: folder)
    }
    defer { content.close() }
    try await worker.perform { () throws(EventLogError) in try content.check() }
    guard var offset = try await session.begin(ContentID(attachment)) else {
      throw EventLogError(
        .locked,
        "Another device is sending the attachment \(attachment.shortHash) to \"\(address)\".",
        hint: "Sync again when it is done.")
    }
    while offset < attachment.bytes {
      try EventLogError.checkCancellation()
      let (start, count) = (offset, min(Int64(ContentID.partBytes), attachment.bytes - offset))
      let bytes = try await worker.perform { () throws(EventLogError) in
        try content.read(at: start, count: Int(count))
      }
      offset = try await session.write(bytes)
      guard offset == start + count else {
        throw EventLogError(
          .damaged,
          "The attachment \(attachment.shortHash) arrived damaged at \"\(address)\", which kept"
            + " nothing of it.", hint: "Sync again.")
      }
    }
  }

  /// Fetches a content. It becomes visible here after its hash was checked; an interrupted call
  /// resumes.
  ///
  /// - Returns: False if it isn't there, or can't be read there. The parts before that are kept.
  /// - Throws: `damaged`, `locked`, `inputOutput`, `canceled`, the error of the remote.
  func fetch(
    _ attachment: Attachment, into folder: AttachmentFolder, on worker: SerialWorker,
    _ session: any ContentSession, onProgress: @Sendable (Int64) -> Void = { _ in }
  ) async throws(EventLogError) -> Bool {
    let partial = try await worker.perform { () throws(EventLogError) in
      try PartialContent(attachment, in: folder)
    }
    do throws(EventLogError) {
      var offset = partial.byteCount
      while offset < attachment.bytes {
        try EventLogError.checkCancellation()
        onProgress(offset)
        let (start, count) = (offset, min(Int64(ContentID.partBytes), attachment.bytes - offset))
        guard
          let bytes = try await session.read(ContentID(attachment), at: start, count: Int(count)),
          bytes.count == count
        else {
          await worker.perform { partial.close() }
          return false
        }
        try await worker.perform { () throws(EventLogError) in
          try partial.write(bytes, at: start)
        }
        offset += count
      }
      try await worker.perform { [address] () throws(EventLogError) in
        try partial.finish(from: address)
      }
      return true
    } catch {
      await worker.perform { partial.close() }
      throw error
    }
  }

  /// The error for a content that is listed there and isn't delivered.
  func undelivered(_ attachment: Attachment) -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(address)\" lists the attachment \(attachment.shortHash) and doesn't deliver it: it can't"
        + " be read there, or was just removed.",
      hint: "Sync again. If it stays so, check the disk there, or fetch it from another place.")
  }
}

extension ContentID {
  init(_ attachment: Attachment) {
    self.init(sha256: attachment.sha256, byteCount: attachment.bytes)
  }
}
