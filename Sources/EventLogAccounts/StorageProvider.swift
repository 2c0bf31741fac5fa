public import EventLog

/// A provider whose places are storages of objects, such as those of `EventLogClouds`.
///
/// It is always said to be available: a place that needs a sign-in, or can't be reached, says so
/// when the account is replicated with it.
public struct StorageProvider: Provider {
  /// The name of the provider, such as `firestore`. It is stored, so keep it stable.
  public let name: String
  private let storage: @Sendable (_ user: String) async throws(EventLogError) -> any ObjectStorage

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - name: The name of the provider. It is stored, so keep it stable.
  ///   - storage: Returns the storage of a user. Different users need different ones. What it
  ///     throws keeps the place from being used; `remoteFailed` and `inputOutput` are tried again.
  public init(
    _ name: String,
    storage: @escaping @Sendable (_ user: String) async throws(EventLogError) -> any ObjectStorage
  ) {
    (self.name, self.storage) = (name, storage)
  }

  /// Returns `available`.
  public func availability(for user: String) async -> Availability { .available }

  /// Returns the user's storage as a remote.
  public func remote(for user: String) async throws(EventLogError) -> any Remote {
    ObjectRemote(try await storage(user))
  }
}
