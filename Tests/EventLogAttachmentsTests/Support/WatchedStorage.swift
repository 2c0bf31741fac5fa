import EventLog
import EventLogRemotes
import EventLogTesting
import Synchronization

/// A storage in memory that runs a closure before each call, as if another device ran then.
final class WatchedStorage: ObjectStorage {
  private let base: MemoryStorage
  private let onCall: @Sendable (Int) async -> Void
  private let callCount = Mutex(0)

  /// - Parameter onCall: Called with the number of the call, from 0 on. Nested storages count their
  ///   own calls.
  init(_ base: MemoryStorage, onCall: @escaping @Sendable (Int) async -> Void) {
    (self.base, self.onCall) = (base, onCall)
  }

  var address: String { base.address }
  var partBytes: Int { base.partBytes }

  func storage(named name: String) -> (any ObjectStorage)? {
    WatchedStorage(base.nested(name), onCall: onCall)
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    await willCall()
    return try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    await willCall()
    return try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    await willCall()
    return try await base.read(name)
  }

  func remove(_ name: String) async throws(EventLogError) {
    await willCall()
    try await base.remove(name)
  }

  private func willCall() async {
    let number = callCount.withLock { count in
      defer { count += 1 }
      return count
    }
    await onCall(number)
  }
}
