/// A place for objects, as a remote: ranges of events, and what each writer says it holds.
public struct ObjectRemote: Remote {
  private let storage: any ObjectStorage
  private let random: RandomText

  public var address: String { storage.address }

  /// - Parameter random: names writers that have no device ID yet.
  public init(_ storage: some ObjectStorage, random: RandomText = .system) {
    self.storage = storage
    self.random = random
  }

  public func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    let catalog = try await ObjectCatalog.read(storage)
    return ObjectSession(storage, catalog, visit, random)
  }
}
