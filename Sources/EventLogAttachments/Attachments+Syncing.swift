public import EventLog
import EventLogRemotes
import Synchronization

/// The result of sending attachments to a place and fetching them from it.
public struct AttachmentReport: Sendable {
  /// The address of the remote.
  public let remote: String
  /// The attachments that the place now has because of this call.
  public internal(set) var sent: [Attachment] = []
  /// The attachments that are here now because of this call.
  public internal(set) var received: [Attachment] = []
  /// The attachments that are named, and are neither here nor at this place.
  public internal(set) var missing: [Attachment] = []
  /// The attachments at the place that the policy or the limit leaves there.
  public internal(set) var left: [Attachment] = []
  /// The attachments that were removed here because of the policy's limit. The place has them.
  public internal(set) var removed: [Attachment] = []
  /// Errors about single attachments, such as a damaged content. The others were transferred.
  public internal(set) var problems: [EventLogError] = []
  /// The error that ended the call early, or `nil`.
  ///
  /// Everything transferred before is kept, and the next call continues.
  public internal(set) var error: EventLogError?

  /// Whether this call has learned what the place has, whatever ended it.
  var isReached = false

  init(_ remote: String) { self.remote = remote }
}

extension Attachments {
  /// Sends to each place what is here and isn't there, and fetches what the policy wants.
  ///
  /// Call `store.sync(with:)` before, for the events that name attachments.
  ///
  /// - Returns: A report for each place.
  @discardableResult
  public func sync() async -> [AttachmentReport] {
    var reports: [AttachmentReport] = []
    for address in addresses {
      if Task.isCancelled { break }
      if let report = await exchange(with: address) { reports.append(report) }
    }
    // Pass on what a later place had.
    let last = reports.lastIndex { !$0.received.isEmpty } ?? 0
    for index in 0..<last {
      guard let again = await exchange(with: reports[index].remote) else { continue }
      reports[index].sent += again.sent
      reports[index].error = reports[index].error ?? again.error
    }
    await keepWithinLimit(&reports)
    return reports
  }

  /// Does the same as ``sync()`` with one place.
  ///
  /// - Parameter address: The address of the remote.
  /// - Returns: A report, or `nil` if the remote keeps no attachments.
  @discardableResult
  public func sync(with address: String) async -> AttachmentReport? {
    guard let report = await exchange(with: address) else { return nil }
    var reports = [report]
    await keepWithinLimit(&reports)
    return reports[0]
  }

  /// Sends to a place and fetches from it. The limit isn't kept before all places have everything.
  private func exchange(with address: String) async -> AttachmentReport? {
    var report = AttachmentReport(address)
    do throws(EventLogError) {
      if let place = places.first(where: { $0.address == address }) {
        try await transfer(with: place.forOneRun(), &report)
      } else if let journal = journals.first(where: { $0.address == address }) {
        try await transfer(with: journal, &report)
      } else if let peer = peers.first(where: { $0.address == address }) {
        try await transfer(with: peer, &report)
      } else {
        return nil
      }
    } catch { report.error = error }
    note(report)
    return report
  }

  func note(_ report: AttachmentReport) {
    state.withLock { $0.reports[report.remote] = report }
    feed.send()
  }

  /// Reads back from each place what is here, and replaces what is damaged there.
  ///
  /// Call it if another device reports `damaged`. It reads all contents of the places that are also
  /// here.
  ///
  /// - Returns: A report for each place, which lists what was replaced as sent.
  @discardableResult
  public func restore() async -> [AttachmentReport] {
    var reports: [AttachmentReport] = []
    for place in places {
      var report = AttachmentReport(place.address)
      do throws(EventLogError) {
        try await restore(at: place.forOneRun(), &report)
      } catch { report.error = error }
      reports.append(report)
    }
    return reports
  }

  private func restore(
    at place: AttachmentPlace, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    try await store.refresh()
    let named = named(in: store.snapshot).filter { $0.bytes > 0 }
    if named.isEmpty { return }
    let listing = try await AttachmentListing(of: place.storage)
    for attachment in named where folder.contains(attachment) && listing.isWhole(attachment) {
      do throws(EventLogError) {
        if try await place.restore(attachment, from: folder, on: worker, listing) {
          report.sent.append(attachment)
        }
      } catch {
        guard await concernsOnly(attachment, error, at: place) else { throw error }
        report.problems.append(error)
      }
    }
  }

  private func transfer(
    with place: AttachmentPlace, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    try await store.refresh()
    let named = named(in: store.snapshot)
    // Ask for nothing on behalf of an app without attachments.
    if named.isEmpty { return }
    var transfer = PlaceTransfer(
      place: place, listing: try await AttachmentListing(of: place.storage),
      budget: try await worker.perform { [self] () throws(EventLogError) in
        folder.removeRemains()
        return try FetchBudget(options, folder)
      })
    report.isReached = true
    let result: Result<Void, EventLogError>
    do throws(EventLogError) {
      result = .success(try await exchange(named, &transfer, &report))
    } catch { result = .failure(error) }
    let listing = transfer.listing
    note(listing, of: place)
    await remember(PlaceContents(named.filter(listing.isWhole)), at: place.address)
    try result.get()
  }

  private func exchange(
    _ named: [Attachment], _ transfer: inout PlaceTransfer, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    for attachment in named {
      try EventLogError.checkCancellation()
      let isHere = await worker.perform { [folder] in folder.contains(attachment) }
      switch (isHere, transfer.listing.isWhole(attachment)) {
      case (true, true): continue
      case (false, false): report.missing.append(attachment)
      case (true, false) where directions == .pull, (false, true) where directions == .push:
        report.left.append(attachment)
      case (true, false): try await send(attachment, &transfer, &report)
      case (false, true): try await receive(attachment, &transfer, &report)
      }
    }
    if let error = transfer.tooLarge { report.problems.append(error) }
    if let error = transfer.sendingFailure ?? transfer.receivingFailure { throw error }
  }

  private func send(
    _ attachment: Attachment, _ transfer: inout PlaceTransfer, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    if transfer.sendingFailure != nil { return }
    if !transfer.place.takes(attachment) {
      transfer.tooLargeCount += 1
      return
    }
    do throws(EventLogError) {
      try await transfer.place.send(attachment, from: folder, on: worker, side, &transfer.listing)
      report.sent.append(attachment)
    } catch {
      if error.endsSending(from: folder) {
        // It would fail for each of the others, which still can be fetched.
        transfer.sendingFailure = error
      } else if await concernsOnly(attachment, error, at: transfer.place) {
        report.problems.append(error)
      } else {
        throw error
      }
    }
  }

  private func receive(
    _ attachment: Attachment, _ transfer: inout PlaceTransfer, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    if transfer.receivingFailure != nil { return }
    guard transfer.budget.take(attachment) else { return report.left.append(attachment) }
    do throws(EventLogError) {
      try await fetch(attachment, from: [(transfer.place, transfer.listing)])
      report.received.append(attachment)
    } catch {
      if error.endsReceiving {
        transfer.receivingFailure = error
      } else if await concernsOnly(attachment, error, at: transfer.place) {
        report.problems.append(error)
      } else {
        throw error
      }
    }
  }

  /// Whether a failure leaves the other attachments of a place transferable.
  ///
  /// A place that can't be reached fails for all of them. A place that still lists this attachment
  /// has failed for its parts only, such as an unreadable object.
  private func concernsOnly(
    _ attachment: Attachment, _ error: EventLogError, at place: AttachmentPlace
  ) async -> Bool {
    if error.isAboutOneAttachment { return true }
    guard error.code == .remoteFailed else { return false }
    do throws(EventLogError) {
      _ = try await AttachmentListing(of: place.storage, only: attachment)
      return true
    } catch { return false }
  }

  /// The attachments that a state names, once each, the newest first.
  func named(in state: Snapshot) -> [Attachment] { state.attachmentUses.contents }

  private func note(_ listing: AttachmentListing, of place: AttachmentPlace) {
    state.withLock { $0.listings[place.address] = listing }
    feed.send()
  }
}

extension EventLogError {
  /// Whether other attachments may be transferred all the same.
  var isAboutOneAttachment: Bool {
    [.damaged, .locked].contains(code) || code == .inputOutput && !isAboutSpace
  }

  private var isAboutSpace: Bool { cause == .noSpace || cause == .quotaExceeded }

  /// Whether the place takes nothing now: it is full, or it refuses or fails to write.
  fileprivate func endsSending(from folder: AttachmentFolder) -> Bool {
    [.quotaExceeded, .accessDenied].contains(code)
      || code == .inputOutput
        && !(location.file?.utf8.starts(with: "\(folder.path)/".utf8) ?? false)
  }

  /// Whether the disk here takes nothing now.
  fileprivate var endsReceiving: Bool { code == .inputOutput && isAboutSpace }
}

/// The progress of one transfer with a place.
private struct PlaceTransfer {
  let place: AttachmentPlace
  var listing: AttachmentListing
  var budget: FetchBudget
  /// The error after which nothing more is sent.
  var sendingFailure: EventLogError?
  /// The error after which nothing more is fetched.
  var receivingFailure: EventLogError?
  /// The number of contents that are larger than the place takes.
  var tooLargeCount = 0

  init(place: AttachmentPlace, listing: AttachmentListing, budget: FetchBudget) {
    (self.place, self.listing, self.budget) = (place, listing, budget)
  }

  /// One sentence about the contents that are too large, or nil.
  var tooLarge: EventLogError? {
    guard tooLargeCount > 0, let limit = place.storage.contentBytesMax else { return nil }
    let larger =
      tooLargeCount == 1
      ? "1 attachment that is larger" : "\(tooLargeCount) attachments that are larger"
    return EventLogError(
      .remoteFailed,
      "\"\(place.address)\" takes attachments of at most \(limit) bytes; \(larger) stayed here.",
      hint: "Sync with another place, too, or attach smaller files.")
  }
}

/// The number of bytes that may still be fetched without being asked for.
struct FetchBudget: Sendable {
  private let bytesMax: Int64
  private var bytesLeft: Int64

  init(_ options: AttachmentOptions, _ folder: AttachmentFolder) throws(EventLogError) {
    bytesMax = options.bytesMax
    switch options.fetching {
    case .all: bytesLeft = .max
    case .onDemand: bytesLeft = 0
    case .upTo(let bytes): bytesLeft = bytes - (try folder.contents().reduce(0) { $0 + $1.bytes })
    }
  }

  mutating func take(_ attachment: Attachment) -> Bool {
    guard attachment.bytes <= bytesMax, attachment.bytes <= bytesLeft else { return false }
    if bytesLeft < .max { bytesLeft -= attachment.bytes }
    return true
  }
}
