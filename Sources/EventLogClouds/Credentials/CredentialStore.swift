public import EventLog
import Synchronization

/// Where secrets are kept between two runs of an app.
///
/// ``FirebaseAuth`` keeps what it needs to stay signed in there. Names are chosen by whoever keeps
/// something; they contain no secrets. An app on an Apple system conforms a type of its own that
/// keeps each secret in the Keychain, as a generic password with the name as its account.
public protocol CredentialStore: Sendable {
  /// Returns the secret of a name, or `nil` if there is none.
  ///
  /// - Throws: `accessDenied` if others can read it, `inputOutput` if it can't be read.
  func load(_ name: String) async throws(EventLogError) -> [UInt8]?

  /// Keeps a secret under a name, in place of the one before.
  ///
  /// When this returns, it survives a crash. A call that fails leaves the old one or the new one,
  /// never a part.
  ///
  /// - Throws: `inputOutput` if it can't be written.
  func save(_ secret: [UInt8], as name: String) async throws(EventLogError)

  /// Removes the secret of a name; one that isn't there is no error.
  ///
  /// - Throws: `inputOutput` if it can't be removed.
  func remove(_ name: String) async throws(EventLogError)
}

/// Keeps secrets in memory, for tests: they end with the process.
public final class MemoryCredentialStore: CredentialStore, CustomReflectable {
  private let secrets = Mutex<[String: [UInt8]]>([:])

  /// Creates an empty store.
  public init() {}

  /// Returns the secret of a name, or `nil` if there is none.
  public func load(_ name: String) async throws(EventLogError) -> [UInt8]? {
    secrets.withLock { $0[name] }
  }

  /// Keeps a secret under a name, in place of the one before.
  public func save(_ secret: [UInt8], as name: String) async throws(EventLogError) {
    secrets.withLock { $0[name] = secret }
  }

  /// Removes the secret of a name.
  public func remove(_ name: String) async throws(EventLogError) {
    secrets.withLock { $0[name] = nil }
  }

  /// A mirror without the secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
