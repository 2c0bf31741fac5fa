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
