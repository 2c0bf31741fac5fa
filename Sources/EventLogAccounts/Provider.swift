public import EventLog

/// A kind of place where a user's events can be kept, such as a cloud or a shared folder.
///
/// Your app implements it for each kind of place that it offers. Each place contains all of the
/// user's events, so the app can use any of them, or several.
public protocol Provider: Sendable {
  /// The name of the provider, such as `cloudkit`, which is stored and must stay stable.
  var name: String { get }

  /// Returns whether the place can be used for a user now.
  ///
  /// It isn't called for guests.
  ///
  /// - Parameter user: The user who is signed in.
  func availability(for user: String) async -> Availability

  /// Returns the remote that contains a user's events.
  ///
  /// It isn't called for guests. Different users need different remotes.
  ///
  /// - Parameter user: The user who is signed in.
  /// - Throws: An error that keeps the place from being used. `remoteFailed` and `inputOutput` are
  ///   retried.
  func remote(for user: String) async throws(EventLogError) -> any Remote
}

/// Whether a place can be used.
public enum Availability: Sendable {
  /// It can be used.
  case available
  /// It can't be used until the user acts, such as by signing in.
  case stopped(because: EventLogError)
  /// It can't be reached at the moment.
  case unreachable(because: EventLogError)
}

extension Availability {
  /// A sentence for the app's user, or `nil` for a place that is available.
  ///
  /// It contains neither addresses nor causes. Translate it by the code of the error.
  public var sentence: String? {
    switch self {
    case .available: nil
    case .stopped(let reason): Self.sentence(reason.code) ?? "This place can't be used."
    case .unreachable(let reason):
      Self.sentence(reason.code) ?? "This place can't be reached at the moment."
    }
  }

  /// A sentence for the app's developer: the error, and what to do about it; `nil` for a place that
  /// is available.
  public var details: String? {
    switch self {
    case .available: nil
    case .stopped(let reason), .unreachable(let reason):
      [reason.message, reason.hint].compactMap(\.self).joined(separator: " ")
    }
  }

  private static func sentence(_ code: EventLogError.Code) -> String? {
    switch code {
    case .signInNeeded: "Sign in to this place to keep your data there."
    case .accessDenied: "You have no permission to keep your data in this place."
    case .quotaExceeded: "There is no room left in this place."
    case .untrustedServer: "The server of this place can't be trusted."
    case .wrongAddress, .otherUser: "This place belongs to somebody else, or isn't set up yet."
    default: nil
    }
  }
}

/// The choice of the providers that keep an account's events.
public enum ProviderChoice: Sendable, Hashable {
  /// The first provider that works, in the app's order.
  case automatic
  /// The provider with this name, and never another one.
  case only(String)
  /// None: the events stay on this device.
  case local
}

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
