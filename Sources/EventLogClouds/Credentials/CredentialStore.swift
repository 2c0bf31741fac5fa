public import EventLog

/// A store for secrets that outlives a run of the app.
///
/// ``FirebaseAuth`` keeps the sign-in there. Names are chosen by the caller and contain no secrets.
/// On Apple's systems, an app implements its own store, which keeps each secret in the Keychain as
/// a generic password with the name as its account.
public protocol CredentialStore: Sendable {
  /// Returns the secret with a name, or `nil` if there is none.
  ///
  /// - Throws: `accessDenied` if others can read it, `inputOutput` if it can't be read.
  func load(_ name: String) async throws(EventLogError) -> [UInt8]?

  /// Stores a secret under a name, replacing the previous one.
  ///
  /// The secret is durable when this method returns. A call that fails leaves the old secret or the
  /// new one, never a part.
  ///
  /// - Throws: `inputOutput` if it can't be written.
  func save(_ secret: [UInt8], as name: String) async throws(EventLogError)

  /// Removes the secret with a name, if it exists.
  ///
  /// - Throws: `inputOutput` if it can't be removed.
  func remove(_ name: String) async throws(EventLogError)
}
