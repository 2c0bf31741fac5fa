import EventLog
import EventLogClouds
import Synchronization

/// A store that can fail, and whose contents tests can replace.
final class FaultyCredentialStore: CredentialStore {
  let inner = MemoryCredentialStore()
  let failsToSave = Mutex(false)
  /// The results of the next loads, instead of the stored secret.
  let overridden = Mutex<[[UInt8]]>([])

  func load(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let next: [UInt8]? = overridden.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let next { return next }
    return try await inner.load(name)
  }

  func save(_ secret: [UInt8], as name: String) async throws(EventLogError) {
    if failsToSave.withLock({ $0 }) { throw EventLogError(invalidInput: "The disk is full.") }
    try await inner.save(secret, as: name)
  }

  func remove(_ name: String) async throws(EventLogError) { try await inner.remove(name) }
}
