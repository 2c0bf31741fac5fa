public import EventLog
public import EventLogRemotes

/// The replication to one place of an account.
public struct ProviderStatus: Sendable, Identifiable {
  /// The name of the provider.
  public let provider: String
  /// The current activity.
  public let phase: Replicator.Phase
  /// The time of the last successful sync, or `nil` if none is known.
  ///
  /// It survives a restart of the app, and is known again once the provider has returned a remote.
  public let lastSynced: Timestamp?

  /// The name of the provider.
  public var id: String { provider }
}

/// A provider, and its status for the current account.
public struct ProviderReport: Sendable, Identifiable {
  /// The name of the provider.
  public let name: String
  /// Whether it can be used for the account.
  public let availability: Availability
  /// The replication to it, or `nil` if the account doesn't use it.
  public let status: ProviderStatus?

  /// The name of the provider.
  public var id: String { name }
}
