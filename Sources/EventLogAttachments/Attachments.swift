public import EventLog
public import EventLogRemotes
import Synchronization

/// The attachments of a store: here, and at the places that it syncs with.
///
/// ```swift
/// let remotes = [FolderRemote(shared)]
/// let attachments = Attachments(of: store, at: remotes)
/// attachments.follow(store.replicate(with: remotes))
///
/// let photo = try await attachments.url(of: photo)  // fetches it if it isn't here
/// ```
///
/// Events never wait for contents: a device can name a photo before any other has it, and a device
/// without the photo shows the rest of the record. Contents are kept in folders and clouds, beside
/// the events, and beside other journals.
///
/// Nothing is removed but by ``release(dryRun:)``, and by the limit of the policy, which leaves the
/// content at a place.
public final class Attachments: Sendable {
  /// The limits and the policy.
  public let options: AttachmentOptions
  /// The addresses of the remotes that keep no attachments.
  public let remotesWithout: [String]

  let directions: ReplicationPlan.Directions
  let store: EventStore
  let folder: AttachmentFolder
  let places: [AttachmentPlace]
  let journals: [JournalPlace]
  let peers: [PeerPlace]
  let worker = SerialWorker(label: "eventlog.attachments")
  let state = Mutex(State())
  let feed = UpdateFeed()
  private let following = Mutex<Task<Void, Never>?>(nil)

  struct State {
    /// The last listing of each place, by its address.
    var listings: [String: AttachmentListing] = [:]
    var fetches: [ContentKey: Fetch] = [:]
    /// The last report of each place, by its address.
    var reports: [String: AttachmentReport] = [:]
    /// The contents of the last listing of each journal on another machine, by its address.
    var peerContents: [String: Set<ContentID>] = [:]
    /// The contents of places at the last transfers, also of earlier runs, by their addresses.
    var placeContents: [String: PlaceContents]?
    /// The facts that this object adds to the memory of the folder.
    var memory = ContentMemory()
    /// When a caller last received the path of a content, by its hash, in milliseconds.
    var lent: [String: Int64] = [:]
  }

  /// A content, by its hash and its stated size: a false size must not stand for the true one.
  struct ContentKey: Hashable {
    let sha256: String
    let bytes: Int64

    init(_ attachment: Attachment) { (sha256, bytes) = (attachment.sha256, attachment.bytes) }
  }

  /// Creates an object for the attachments of a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - remotes: The remotes that the store syncs with, in the order in which to ask them.
  ///   - options: The limits and the policy.
  public convenience init(
    of store: EventStore, at remotes: [any Remote] = [],
    options: AttachmentOptions = AttachmentOptions()
  ) {
    self.init(of: store, at: remotes, .both, options)
  }

  /// - Parameter directions: Whether to fetch, send, or both.
  package init(
    of store: EventStore, at remotes: [any Remote], _ directions: ReplicationPlan.Directions,
    _ options: AttachmentOptions
  ) {
    (self.store, self.options, self.directions) = (store, options, directions)
    let folder = store.attachmentFolder
    self.folder = folder
    places = remotes.compactMap { AttachmentPlace($0) }
    journals = remotes.compactMap { JournalPlace($0, beside: folder) }
    peers = remotes.compactMap { PeerPlace($0) }
    let addresses = Set(
      places.map(\.address) + journals.map(\.address) + peers.map(\.address))
    remotesWithout = remotes.map(\.address).filter { !addresses.contains($0) }
  }

  deinit {
    following.withLock { $0?.cancel() }
    feed.finish()
  }

  /// Sends and fetches attachments after each sync of a replicator, until it ends.
  ///
  /// Failures are tried again with the next sync. An earlier call ends.
  ///
  /// - Parameter replicator: The replicator of the store.
  public func follow(_ replicator: Replicator) {
    let reports = replicator.reports
    let task = Task { [weak self] in
      // Syncs may have ended before the reports were asked for.
      _ = await self?.sync()
      for await (remote, _) in reports {
        guard let self, !Task.isCancelled else { return }
        let report = await self.sync(with: remote)
        // Pass on what has arrived.
        guard report?.received.isEmpty == false else { continue }
        for address in self.addresses where address != remote {
          _ = await self.sync(with: address)
        }
      }
    }
    following.withLock { previous in
      previous?.cancel()
      previous = task
    }
  }

  /// The last report of each place, in the order of the remotes.
  ///
  /// It contains the error if the place is full or can't be reached. Places that weren't synced yet
  /// are left out.
  public var reports: [AttachmentReport] {
    state.withLock { state in addresses.compactMap { state.reports[$0] } }
  }

  /// The addresses of the remotes that keep attachments.
  var addresses: [String] {
    places.map(\.address) + journals.map(\.address) + peers.map(\.address)
  }
}

/// Notifies readers of changes.
final class UpdateFeed: Sendable {
  private let readers = Mutex<[AsyncStream<Void>.Continuation]>([])

  var updates: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      readers.withLock { $0.append(reader) }
    }
  }

  func send() {
    readers.withLock { readers in
      readers.removeAll { if case .terminated = $0.yield() { true } else { false } }
    }
  }

  func finish() {
    for reader in readers.withLock({ $0 }) { reader.finish() }
  }
}
