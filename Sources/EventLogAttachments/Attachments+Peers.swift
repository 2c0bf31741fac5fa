import EventLog
import EventLogRemotes
import Synchronization

extension Attachments {
  /// Sends contents to a journal on another machine and fetches them from there.
  func transfer(
    with peer: PeerPlace, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    try await store.refresh()
    let named = named(in: store.snapshot)
    // Don't log in on behalf of an app without attachments.
    if named.isEmpty { return }
    let before = report
    report = try await peer.connected { (session) throws(EventLogError) in
      var report = before
      do throws(EventLogError) {
        try await self.transfer(named, with: peer, session, &report)
      } catch { report.error = error }
      return report
    }
  }

  private func transfer(
    _ named: [Attachment], with peer: PeerPlace, _ session: any ContentSession,
    _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    var there = try await peer.contents(session)
    report.isReached = true
    let result: Result<Void, EventLogError>
    do throws(EventLogError) {
      result = .success(try await exchange(named, with: peer, session, &there, &report))
    } catch { result = .failure(error) }
    let known = there
    state.withLock { $0.peerContents[peer.address] = known }
    feed.send()
    await remember(
      PlaceContents(named.filter { known.contains(ContentID($0)) }), at: peer.address)
    try result.get()
  }

  private func exchange(
    _ named: [Attachment], with peer: PeerPlace, _ session: any ContentSession,
    _ there: inout Set<ContentID>, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    var budget = try await worker.perform { [self] () throws(EventLogError) in
      folder.removeRemains()
      return try FetchBudget(options, folder)
    }
    for attachment in named {
      try EventLogError.checkCancellation()
      let isHere = await worker.perform { [folder] in folder.contains(attachment) }
      let isThere = attachment.bytes == 0 || there.contains(ContentID(attachment))
      do throws(EventLogError) {
        switch (isHere, isThere) {
        case (true, true): continue
        case (false, false): report.missing.append(attachment)
        case (true, false) where directions == .pull, (false, true) where directions == .push:
          report.left.append(attachment)
        case (true, false):
          try await peer.send(attachment, from: folder, on: worker, session)
          there.insert(ContentID(attachment))
          report.sent.append(attachment)
        case (false, true):
          guard budget.take(attachment) else {
            report.left.append(attachment)
            continue
          }
          if try await peer.fetch(attachment, into: folder, on: worker, session) {
            report.received.append(attachment)
          } else {
            // It isn't known to be safe there.
            there.remove(ContentID(attachment))
            report.problems.append(peer.undelivered(attachment))
          }
        }
      } catch {
        guard error.isAboutOneAttachment, await !session.hasEnded else { throw error }
        report.problems.append(error)
      }
    }
  }

  /// Fetches one content from a journal on another machine.
  ///
  /// - Returns: False if it isn't there.
  /// - Throws: The errors of ``PeerPlace/fetch(_:into:on:_:onProgress:)``; `remoteFailed` if it is
  ///   there and can't be read.
  func fetch(_ attachment: Attachment, from peer: PeerPlace) async throws(EventLogError) -> Bool {
    let content = ContentID(attachment)
    let isListed = state.withLock { $0.peerContents[peer.address]?.contains(content) ?? false }
    return try await peer.connected { (session) throws(EventLogError) in
      // A file is begun here only for a content that is there.
      guard try await session.read(content, at: 0, count: 1) != nil else {
        if isListed { throw peer.undelivered(attachment) }
        return false
      }
      let isHere = try await peer.fetch(
        attachment, into: self.folder, on: self.worker, session
      ) { received in
        self.state.withLock { $0.fetches[ContentKey(attachment)]?.received = received }
        self.feed.send()
      }
      if !isHere { throw peer.undelivered(attachment) }
      return true
    }
  }
}
