/// A place for objects, as a remote: ranges of events, and what each writer says it holds.
public struct ObjectRemote: ReachableRemote {
  private let storage: any ObjectStorage
  private let random: RandomText

  /// The address of the storage.
  public var address: String { storage.address }

  /// The objects in a storage, shared by devices.
  public init(_ storage: some ObjectStorage) { self.init(storage, random: .system) }

  /// - Parameter random: names writers that have no device ID yet.
  package init(_ storage: some ObjectStorage, random: RandomText) {
    self.storage = storage
    self.random = random
  }

  package func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    let catalog = try await ObjectCatalog.read(storage)
    return ObjectSession(storage, catalog, visit, random)
  }
}
