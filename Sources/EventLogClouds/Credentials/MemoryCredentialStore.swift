public import EventLog
import Synchronization

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
