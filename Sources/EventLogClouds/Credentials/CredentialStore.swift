public import EventLog
import Synchronization

/// A store for secrets that outlives a run of the app.
///
/// ``FirebaseAuth`` keeps the sign-in there. Names are chosen by the caller and contain no secrets.
/// An app on an Apple system conforms a type of its own that keeps each secret in the Keychain, as
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

/// A store that keeps secrets in memory, for tests.
public final class MemoryCredentialStore: CredentialStore, CustomReflectable {
  private let secrets = Mutex<[String: [UInt8]]>([:])

  /// Creates an empty store.
  public init() {}

  /// Returns the secret with a name, or `nil` if there is none.
  public func load(_ name: String) async throws(EventLogError) -> [UInt8]? {
    secrets.withLock { $0[name] }
  }

  /// Stores a secret under a name, replacing the previous one.
  public func save(_ secret: [UInt8], as name: String) async throws(EventLogError) {
    secrets.withLock { $0[name] = secret }
  }

  /// Removes the secret with a name.
  public func remove(_ name: String) async throws(EventLogError) {
    secrets.withLock { $0[name] = nil }
  }

  /// A mirror without children, so that no secret is shown.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
