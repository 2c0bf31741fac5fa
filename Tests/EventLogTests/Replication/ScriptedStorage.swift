import EventLogTesting
import Synchronization

@testable import EventLog
@testable import EventLogRemotes

/// A storage in memory that records its calls, some of which a test can replace.
struct ScriptedStorage: ObjectStorage {
  typealias Call<Value> =
    @Sendable (MemoryStorage, String) async throws(EventLogError) -> Value

  let base = MemoryStorage(address: "far")
  private let calls = CallLog()
  var onPut: @Sendable (MemoryStorage, String, [UInt8]) async throws(EventLogError) -> Bool = {
    (base, name, bytes) throws(EventLogError) in try await base.put(name, bytes)
  }
  var onList: @Sendable (MemoryStorage, String?) async throws(EventLogError) -> [StoredObject] = {
    (base, name) throws(EventLogError) in try await base.list(after: name)
  }
  var onRead: Call<[UInt8]?> = { (base, name) throws(EventLogError) in try await base.read(name) }
  var onRemove: Call<Void> = { (base, name) throws(EventLogError) in try await base.remove(name) }

  var address: String { base.address }
  var ranges: [String] { base.names.filter { $0.hasSuffix(".jsonl") } }
  var frontiers: [String] { base.names.filter { $0.hasSuffix(".json") } }

  /// Returns and clears the calls since the last time, such as "put NAME".
  func takeCalls() -> [String] { calls.take() }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    calls.add("put \(name)")
    return try await onPut(base, name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    calls.add("list")
    return try await onList(base, name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    calls.add("read \(name)")
    return try await onRead(base, name)
  }

  func remove(_ name: String) async throws(EventLogError) {
    calls.add("remove \(name)")
    try await onRemove(base, name)
  }

  static func refused() -> EventLogError {
    EventLogError(.accessDenied, "\"far\" failed: it answered 403.", hint: "Check the rights.")
  }
}

private final class CallLog: Sendable {
  private let calls = Mutex<[String]>([])

  func add(_ call: String) { calls.withLock { $0.append(call) } }

  func take() -> [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }
}
