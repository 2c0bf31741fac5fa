import EventLog
import EventLogRemotes
import Synchronization

extension Attachments {
  /// Removes the least recently used contents here if there are more bytes than the policy allows,
  /// and fetches newer ones in exchange.
  ///
  /// A content goes only if a place that these reports reached has it, as reading it back shows, if
  /// no other place still waits for it, if no event releases it, and if nothing is reading it.
  func keepWithinLimit(_ reports: inout [AttachmentReport]) async {
    guard case .upTo(let bytesMax) = options.fetching, directions == .both else { return }
    var sources: [(place: AttachmentPlace, listing: AttachmentListing)] = []
    for report in reports where report.error == nil {
      guard let place = places.first(where: { $0.address == report.remote }),
        let listing = state.withLock({ $0.listings[report.remote] })
      else { continue }
      sources.append((place.forOneRun(), listing))
    }
    if sources.isEmpty || Task.isCancelled { return }
    do throws(EventLogError) {
      try await keepWithinLimit(bytesMax, sources, &reports)
    } catch {
      // Everything was transferred, and the next sync removes what this one didn't.
      if error.code != .canceled { reports[0].problems.append(error) }
    }
    for report in reports { note(report) }
  }

  private func keepWithinLimit(
    _ bytesMax: Int64, _ sources: [(place: AttachmentPlace, listing: AttachmentListing)],
    _ reports: inout [AttachmentReport]
  ) async throws(EventLogError) {
    let uses = store.snapshot.attachmentUses
    var seen: Set<ContentKey> = []
    let named = uses.filter { seen.insert(ContentKey($0.attachment)).inserted }
    var run = try await LimitRun(of: self, named.map(\.attachment), sources)
    let result: Result<Void, EventLogError>
    do throws(EventLogError) {
      if try await run.reduce(to: bytesMax) {
        try await exchange(for: named, bytesMax, sources, &run, &reports)
      }
      result = .success(())
    } catch { result = .failure(error) }
    for index in reports.indices {
      let place = reports[index].remote
      reports[index].removed += run.removed.lazy.filter { $0.place == place }.map(\.attachment)
      reports[index].problems += run.problems.lazy.filter { $0.place == place }.map(\.error)
    }
    let (memory, side) = (run.memory, side)
    await worker.perform { memory.keep(in: side) }
    try result.get()
  }

  /// Fetches contents that a sync has left at a place and that are newer than contents here, in
  /// exchange for those.
  private func exchange(
    for named: [AttachmentUse], _ bytesMax: Int64,
    _ sources: [(place: AttachmentPlace, listing: AttachmentListing)], _ run: inout LimitRun,
    _ reports: inout [AttachmentReport]
  ) async throws(EventLogError) {
    let left = reports.map { Set($0.left) }
    var received: Set<Attachment> = []
    defer {
      for index in reports.indices where !received.isEmpty {
        reports[index].left.removeAll(where: received.contains)
      }
    }
    for use in named {
      let attachment = use.attachment
      // The limit has removed it before: fetching it again would repeat that with each sync.
      if run.memory.removals.contains(attachment.sha256) { continue }
      guard attachment.bytes <= min(bytesMax, options.bytesMax), let time = use.at,
        let index = left.firstIndex(where: { $0.contains(attachment) }),
        let source = sources.first(where: { $0.place.address == reports[index].remote }),
        !folder.contains(attachment)
      else { continue }
      let written = time.milliseconds.multipliedReportingOverflow(by: 1_000_000)
      let excess = run.byteCount + attachment.bytes - bytesMax
      guard !written.overflow, run.canReduce(by: excess, usedBefore: written.partialValue),
        try await run.reduce(to: bytesMax - attachment.bytes, usedBefore: written.partialValue)
      else { return }
      do throws(EventLogError) {
        try await fetch(attachment, from: [source])
        run.noteReceived(attachment)
        received.insert(attachment)
        reports[index].received.append(attachment)
      } catch {
        guard error.isAboutOneAttachment else { throw error }
        reports[index].problems.append(error)
      }
    }
  }

  // MARK: - Use

  /// The time in milliseconds for which a path that a caller received stays valid.
  private static let lendingTime: Int64 = 600_000

  /// Records that a caller opens a content.
  func noteOpening(of attachment: Attachment) {
    guard case .upTo = options.fetching else { return }
    let now = store.options.now.milliseconds
    state.withLock { state in
      // Files have the system's time, too.
      state.memory.noteOpening(of: attachment.sha256, at: WallClock.system.now())
      if state.lent.count > 1000 {
        state.lent = state.lent.filter { abs($0.value - now) < Self.lendingTime }
      }
      state.lent[attachment.sha256] = now
    }
  }

  /// Whether a caller may be about to open a content.
  func isLent(_ attachment: Attachment) -> Bool {
    let now = store.options.now.milliseconds
    return state.withLock { state in
      state.lent[attachment.sha256].map { abs($0 - now) < Self.lendingTime } ?? false
    }
  }

  /// Whether a place that can be reached still has to receive a content.
  func isLacking(_ attachment: Attachment) -> Bool {
    let (reports, listings, contents) = state.withLock {
      ($0.reports, $0.listings, $0.peerContents)
    }
    func isReached(_ address: String) -> Bool { reports[address]?.isReached ?? false }
    return places.contains { place in
      isReached(place.address) && place.takes(attachment)
        && listings[place.address]?.isWhole(attachment) == false
    }
      || journals.contains { isReached($0.address) && !$0.contains(attachment) }
      || peers.contains { peer in
        isReached(peer.address) && contents[peer.address]?.contains(ContentID(attachment)) == false
      }
  }

  var side: SideFolder { SideFolder(beside: store.path, fileSystem: folder.fileSystem) }
}
