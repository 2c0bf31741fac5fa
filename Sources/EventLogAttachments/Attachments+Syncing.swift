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
  /// Errors about single attachments, such as a damaged content. The others were transferred.
  public internal(set) var problems: [EventLogError] = []
  /// The error that ended the call early, or `nil`.
  ///
  /// Everything transferred before is kept, and the next call continues.
  public internal(set) var error: EventLogError?

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
      if let report = await sync(with: address) { reports.append(report) }
    }
    // Pass on what a later place had.
    guard let last = reports.lastIndex(where: { !$0.received.isEmpty }) else { return reports }
    for index in 0..<last {
      guard let again = await sync(with: reports[index].remote) else { continue }
      reports[index].sent += again.sent
      reports[index].error = reports[index].error ?? again.error
    }
    return reports
  }

  /// Does the same as ``sync()`` with one place.
  ///
  /// - Parameter address: The address of the remote.
  /// - Returns: A report, or `nil` if the remote keeps no attachments.
  @discardableResult
  public func sync(with address: String) async -> AttachmentReport? {
    var report = AttachmentReport(address)
    do throws(EventLogError) {
      if let place = places.first(where: { $0.address == address }) {
        try await transfer(with: place.forOneRun(), &report)
      } else if let journal = journals.first(where: { $0.address == address }) {
        try await transfer(with: journal, &report)
      } else {
        return nil
      }
    } catch { report.error = error }
    let result = report
    state.withLock { $0.reports[address] = result }
    feed.send()
    return report
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
    var listing = try await AttachmentListing(of: place.storage)
    defer { note(listing, of: place) }
    var budget = try await worker.perform { [self] () throws(EventLogError) in
      folder.removeRemains()
      return try FetchBudget(options, folder)
    }
    for attachment in named {
      try EventLogError.checkCancellation()
      let isHere = await worker.perform { [folder] in folder.contains(attachment) }
      switch (isHere, listing.isWhole(attachment)) {
      case (true, true): continue
      case (false, false): report.missing.append(attachment)
      case (true, false) where directions == .pull, (false, true) where directions == .push:
        report.left.append(attachment)
      case (true, false):
        do throws(EventLogError) {
          _ = try await place.send(attachment, from: folder, on: worker, &listing)
          report.sent.append(attachment)
        } catch {
          guard await concernsOnly(attachment, error, at: place) else { throw error }
          report.problems.append(error)
        }
      case (false, true):
        guard budget.take(attachment) else {
          report.left.append(attachment)
          continue
        }
        do throws(EventLogError) {
          try await fetch(attachment, from: [(place, listing)])
          report.received.append(attachment)
        } catch {
          guard await concernsOnly(attachment, error, at: place) else { throw error }
          report.problems.append(error)
        }
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
  func named(in state: Snapshot) -> [Attachment] {
    var seen: Set<ContentKey> = []
    return state.attachmentUses.map(\.attachment).filter { seen.insert(ContentKey($0)).inserted }
  }

  private func note(_ listing: AttachmentListing, of place: AttachmentPlace) {
    state.withLock { $0.listings[place.address] = listing }
    feed.send()
  }
}

extension EventLogError {
  /// Whether other attachments may be transferred all the same.
  var isAboutOneAttachment: Bool {
    [.damaged, .locked].contains(code) || code == .inputOutput && cause != .noSpace
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
