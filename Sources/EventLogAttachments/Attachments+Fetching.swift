public import EventLog
import EventLogRemotes
import Synchronization

/// A content that is being fetched for one or more callers.
struct Fetch: Sendable {
  let task: Task<EventLogError?, Never>
  var callerCount = 0
  var received: Int64 = 0
}

extension Attachments {
  /// Returns the path of an attachment's content, which is fetched if it isn't here.
  ///
  /// Callers that want the same content share one request. If all of them are canceled, it ends;
  /// the next one resumes after the last part that arrived. A content is checked before it becomes
  /// visible. Don't change the file: it is named by its hash. The limit of the policy leaves it for
  /// ten minutes after the call, so open it within that time.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: The path of a complete file.
  /// - Throws: `remoteFailed` if no place has it; `damaged` if only damaged copies are there;
  ///   `locked` if another process is fetching it; `inputOutput`; `canceled`; the error of a place
  ///   that can't be reached.
  public func file(of attachment: Attachment) async throws(EventLogError) -> String {
    let path = folder.file(of: attachment.sha256)
    noteOpening(of: attachment)
    let isHere = await worker.perform { [folder] in folder.contains(attachment) }
    if !isHere { try await fetch(attachment, from: places.map { ($0.forOneRun(), nil) }) }
    return path
  }

  /// Returns an attachment's content, which is fetched if it isn't here.
  ///
  /// - Parameter attachment: The attachment.
  /// - Throws: The errors of ``file(of:)``.
  public func content(of attachment: Attachment) async throws(EventLogError) -> [UInt8] {
    _ = try await file(of: attachment)
    return try await worker.perform { [folder] () throws(EventLogError) in
      try folder.content(of: attachment)
    }
  }

  /// Fetches a content, or waits for a call that does.
  ///
  /// - Parameter sources: The places to ask in order, with their listings, if they are known.
  func fetch(
    _ attachment: Attachment, from sources: [(AttachmentPlace, AttachmentListing?)]
  ) async throws(EventLogError) {
    let key = ContentKey(attachment)
    var task = request(attachment, key, sources)
    while task.isEnding {
      // A request without callers is ending, and must not be shared.
      _ = await task.work.value
      task = request(attachment, key, sources)
    }
    feed.send()
    let work = task.work
    guard let result = await unlessCancelled({ await work.value }) else {
      let isLast = state.withLock { state in
        // The request may have ended meanwhile, and another caller have begun a new one.
        guard state.fetches[key]?.task == work else { return false }
        state.fetches[key]?.callerCount -= 1
        return state.fetches[key]?.callerCount == 0
      }
      if isLast {
        work.cancel()
        _ = await work.value
      }
      throw EventLogError(
        .canceled, "Fetching the attachment \(attachment.shortHash) was canceled.",
        hint: "The parts that arrived are kept for the next call.")
    }
    if let error = result { throw error }
  }

  /// Replaces a damaged content.
  ///
  /// - Throws: The errors of ``file(of:)``. The content here stays as it is then.
  package func fetchAgain(_ attachment: Attachment) async throws(EventLogError) {
    try await fetch(attachment, from: places.map { ($0.forOneRun(), nil) })
  }

  /// Begins a request, or joins one.
  private func request(
    _ attachment: Attachment, _ key: ContentKey,
    _ sources: [(AttachmentPlace, AttachmentListing?)]
  ) -> (work: Task<EventLogError?, Never>, isEnding: Bool) {
    state.withLock { state in
      if let running = state.fetches[key] {
        if running.callerCount == 0 { return (running.task, true) }
        state.fetches[key]?.callerCount += 1
        return (running.task, false)
      }
      let task = Task {
        let error = await self.fetched(attachment, from: sources)
        self.state.withLock { $0.fetches[key] = nil }
        self.feed.send()
        return error
      }
      state.fetches[key] = Fetch(task: task, callerCount: 1)
      return (task, false)
    }
  }

  /// Asks the places in order. Nil after a success.
  private func fetched(
    _ attachment: Attachment, from sources: [(AttachmentPlace, AttachmentListing?)]
  ) async -> EventLogError? {
    if attachment.bytes == 0 {
      return await storeEmpty(attachment)
    }
    var first: EventLogError?
    for (place, known) in sources {
      do throws(EventLogError) {
        let listing: AttachmentListing
        if let known {
          listing = known
        } else {
          listing = try await AttachmentListing(of: place.storage, only: attachment)
        }
        guard listing.isWhole(attachment) else { continue }
        try await place.fetch(attachment, into: folder, on: worker, listing) { received in
          state.withLock { $0.fetches[ContentKey(attachment)]?.received = received }
          feed.send()
        }
        return nil
      } catch {
        if error.code == .canceled { return error }
        first = first ?? error
      }
    }
    for journal in journals where journal.contains(attachment) {
      let error = await worker.perform { [folder] () -> EventLogError? in
        do throws(EventLogError) {
          try journal.fetch(attachment, into: folder)
          return nil
        } catch { return error }
      }
      guard let error else { return nil }
      first = first ?? error
    }
    // A transfer with a place doesn't log in elsewhere for each content that is damaged there.
    for peer in peers where !sources.contains(where: { $0.1 != nil }) {
      do throws(EventLogError) {
        if try await fetch(attachment, from: peer) { return nil }
      } catch {
        if error.code == .canceled { return error }
        first = first ?? error
      }
    }
    return first ?? nowhere(attachment)
  }

  /// An empty content isn't sent anywhere.
  private func storeEmpty(_ attachment: Attachment) async -> EventLogError? {
    await worker.perform { [folder] () -> EventLogError? in
      do throws(EventLogError) {
        try PartialContent(attachment, in: folder, ends: []).finish(from: "no place")
        return nil
      } catch { return error }
    }
  }

  private func nowhere(_ attachment: Attachment) -> EventLogError {
    let places = addresses.map { "\"\($0)\"" }.joined(separator: ", ")
    return EventLogError(
      .remoteFailed,
      addresses.isEmpty
        ? "The attachment \(attachment.shortHash) is not here, and there is no place to fetch it"
          + " from."
        : "The attachment \(attachment.shortHash) is neither here nor at \(places).",
      hint: addresses.isEmpty
        ? "Sync with a folder, a cloud or another journal."
        : "Sync the device that has it.")
  }
}
