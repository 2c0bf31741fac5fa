public import EventLog
public import EventLogRemotes

/// A provider whose places are storages of objects, such as those of `EventLogClouds`.
///
/// The account's syncs determine whether a place can be used. Their failures are remembered across
/// restarts of the app.
public struct StorageProvider: Provider {
  /// The name of the provider, such as `firestore`, which is stored and must stay stable.
  public let name: String
  private let storage: @Sendable (_ user: String) async throws(EventLogError) -> any ObjectStorage

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - name: The name of the provider. It is stored, so keep it stable.
  ///   - storage: Returns the storage of a user. Different users need different ones. An error
  ///     keeps the place from being used; `remoteFailed` and `inputOutput` are retried.
  public init(
    _ name: String,
    storage: @escaping @Sendable (_ user: String) async throws(EventLogError) -> any ObjectStorage
  ) {
    (self.name, self.storage) = (name, storage)
  }

  /// Checks the user's place with `ObjectStorage.checkAvailability()`.
  ///
  /// The storages of `EventLogClouds` list their first objects. So a place that is full or
  /// read-only counts as available, and the first sync fails.
  ///
  /// - Returns: `unreachable` for a transient error, such as `remoteFailed`; `stopped` for one that
  ///   the user must resolve, such as `signInNeeded` or `accessDenied`.
  public func availability(for user: String) async -> Availability {
    do throws(EventLogError) {
      try await checkAvailability(for: user)
      return .available
    } catch {
      let isFinal = Replicator.isFinal(error.code)
      return isFinal ? .stopped(because: error) : .unreachable(because: error)
    }
  }

  /// Checks whether the user's place can be used now, as `availability(for:)` does.
  ///
  /// - Throws: The error of `ObjectStorage.checkAvailability()`, or of creating the storage.
  public func checkAvailability(for user: String) async throws(EventLogError) {
    try await storage(user).checkAvailability()
  }

  /// Returns the user's storage as a remote.
  ///
  /// Signing out and closing don't wait for a call of the storage that continues after its task was
  /// canceled.
  public func remote(for user: String) async throws(EventLogError) -> any Remote {
    ObjectRemote(CancelableStorage(base: try await storage(user)))
  }
}
