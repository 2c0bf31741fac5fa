public import EventLog

/// A remote that keeps its events in an object storage, such as a cloud bucket.
public struct ObjectRemote: ReachableRemote {
  let storage: any ObjectStorage
  private let random: RandomText
  private let now: @Sendable () -> Int64

  /// The address of the storage.
  public var address: String { storage.address }

  /// Creates a remote that devices share through a storage.
  ///
  /// - Parameter storage: The storage.
  public init(_ storage: some ObjectStorage) { self.init(storage, random: .system) }

  /// Creates a remote with its own source of randomness.
  ///
  /// - Parameters:
  ///   - storage: The storage.
  ///   - random: Names writers that don't have a device ID yet.
  ///   - now: A monotonic clock in milliseconds, for the time limit of compaction.
  package init(
    _ storage: some ObjectStorage, random: RandomText,
    now: @escaping @Sendable () -> Int64 = monotonicMilliseconds
  ) {
    self.storage = storage
    self.random = random
    self.now = now
  }

  package func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    try await connect(request, noting: [])
  }

  /// - Parameter notices: Messages for the user, in addition to those of the run.
  func connect(
    _ request: SyncRequest, noting notices: [String]
  ) async throws(EventLogError) -> any RemoteSession {
    var request = request
    let storage = (storage as? any RetryingStorage)?.forOneRun() ?? storage
    let cache = ListingCache(from: &request.known, isTrusted: storage.checksItself)
    let catalog = try await ObjectCatalog.read(storage, cache)
    return ObjectSession(storage, catalog, request, random, now, initialNotices: notices)
  }
}
