import EventLog
import EventLogRemotes
import Synchronization

/// Removes contents here at the end of a sync, the least recently used ones first.
struct LimitRun {
  /// A content that is here and that a value names.
  private struct Candidate {
    let attachment: Attachment
    /// When it was attached, fetched or opened, in nanoseconds since 1970.
    let usedAt: Int64
  }

  private let attachments: Attachments
  /// The places that were reached by this sync, with their listings.
  private let sources: [(place: AttachmentPlace, listing: AttachmentListing)]
  private var candidates: ArraySlice<Candidate>
  /// The hashes that an event releases: a place may drop those at any time.
  private var released: Set<String>?
  private(set) var memory: ContentMemory
  /// The number of bytes of all contents here.
  private(set) var byteCount: Int64
  private(set) var removed: [(attachment: Attachment, place: String)] = []
  /// The contents that a place doesn't have as it lists them.
  private(set) var problems: [(error: EventLogError, place: String)] = []

  init(
    of attachments: Attachments, _ named: [Attachment],
    _ sources: [(place: AttachmentPlace, listing: AttachmentListing)]
  ) async throws(EventLogError) {
    (self.attachments, self.sources) = (attachments, sources)
    let (folder, side) = (attachments.folder, attachments.side)
    var memory = await attachments.worker.perform { ContentMemory(in: side) }
    // The next run keeps what is opened from now on.
    memory.add(attachments.state.withLock { $0.memory.take() })
    let here = try await attachments.worker.perform { () throws(EventLogError) in
      try folder.files()
    }
    byteCount = here.reduce(0) { $0 + $1.bytes }
    memory.prune(here: Set(here.map(\.sha256)), named: Set(named.map(\.sha256)))
    self.memory = memory
    let files = Dictionary(uniqueKeysWithValues: here.map { ($0.sha256, $0) })
    candidates =
      named.compactMap { attachment in
        guard let file = files[attachment.sha256], file.bytes == attachment.bytes, file.bytes > 0
        else { return nil }
        // Openings are in milliseconds: one counts as later than a file of the same.
        let opening = memory.openings[attachment.sha256].map { $0 * 1_000_000 + 999_999 }
        return Candidate(attachment: attachment, usedAt: max(file.modified, opening ?? 0))
      }.sorted { $0.usedAt < $1.usedAt }[...]
  }

  // MARK: - Removing

  /// Removes contents until those here have at most `bytesMax` bytes, as far as that is safe.
  ///
  /// - Parameter time: Only contents that weren't used since then, in nanoseconds since 1970.
  /// - Returns: Whether they have at most so many bytes.
  /// - Throws: `damaged` for a journal that may lack a release; `inputOutput`; `canceled`; the
  ///   error of a place.
  mutating func reduce(
    to bytesMax: Int64, usedBefore time: Int64 = .max
  ) async throws(EventLogError) -> Bool {
    while byteCount > bytesMax {
      guard let next = candidates.first, next.usedAt < time else { return false }
      candidates.removeFirst()
      try EventLogError.checkCancellation()
      try await remove(next.attachment)
    }
    return true
  }

  /// Whether the contents that weren't used since `time` have at least so many bytes.
  func canReduce(by bytes: Int64, usedBefore time: Int64) -> Bool {
    var sum: Int64 = 0
    for candidate in candidates {
      if sum >= bytes || candidate.usedAt >= time { break }
      sum += candidate.attachment.bytes
    }
    return sum >= bytes
  }

  mutating func noteReceived(_ attachment: Attachment) { byteCount += attachment.bytes }

  private mutating func remove(_ attachment: Attachment) async throws(EventLogError) {
    if attachments.isLent(attachment) || attachments.isLacking(attachment) { return }
    if try await isReleased(attachment) { return }
    guard let place = try await provingPlace(of: attachment) else { return }
    let attachments = attachments
    let isRemoved = try await attachments.worker.perform { () throws(EventLogError) in
      // It may have been opened while it was read back.
      if attachments.isLent(attachment) { return false }
      return try attachments.folder.removeUnlessRead(attachment)
    }
    if !isRemoved { return }
    byteCount -= attachment.bytes
    memory.noteRemoval(of: attachment.sha256)
    removed.append((attachment, place))
  }

  private mutating func isReleased(_ attachment: Attachment) async throws(EventLogError) -> Bool {
    if let released { return released.contains(attachment.sha256) }
    let found = try await attachments.store.reading { (journal) throws(EventLogError) in
      try ReleasedContents(of: journal).hashes
    }
    released = found
    return found.contains(attachment.sha256)
  }

  /// The address of a place that has the content, as reading it back shows.
  private mutating func provingPlace(
    of attachment: Attachment
  ) async throws(EventLogError) -> String? {
    for (place, listing) in sources where listing.isWhole(attachment) {
      if try await place.proves(attachment, listing) { return place.address }
      problems.append((place.isDamaged(attachment), place.address))
    }
    return nil
  }
}

extension AttachmentPlace {
  fileprivate func isDamaged(_ attachment: Attachment) -> EventLogError {
    EventLogError(
      .damaged,
      "The attachment \(attachment.shortHash) at \"\(address)\" is damaged, so it stays here"
        + " although the limit is reached.",
      hint: "Restore it there from this device.")
  }
}
