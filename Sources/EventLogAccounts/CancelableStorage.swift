import EventLog
import EventLogRemotes

/// A storage whose calls return as soon as their task is canceled, even if the base ignores
/// cancellation.
///
/// It does no harm if the base puts the object later: the name determines the contents, and the
/// next sync finds it.
struct CancelableStorage: ObjectStorage {
  let base: any ObjectStorage

  var address: String { base.address }
  var rangeBytes: Int { base.rangeBytes }
  var checksItself: Bool { base.checksItself }
  var partBytes: Int { base.partBytes }
  var contentBytesMax: Int64? { base.contentBytesMax }

  func storage(named name: String) -> (any ObjectStorage)? {
    base.storage(named: name).map { CancelableStorage(base: $0) }
  }

  private func returningWhenCanceled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let result = await unlessCancelled { () async -> Result<Value, EventLogError> in
      do throws(EventLogError) { return .success(try await body()) } catch {
        return .failure(error)
      }
    }
    guard let result else {
      throw EventLogError(
        .canceled, "The call was canceled before \"\(address)\" answered.", hint: "Sync again.")
    }
    return try result.get()
  }

  func checkAvailability() async throws(EventLogError) {
    try await returningWhenCanceled { [base] () throws(EventLogError) in
      try await base.checkAvailability()
    }
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await returningWhenCanceled { [base] () throws(EventLogError) in
      try await base.put(name, bytes)
    }
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await returningWhenCanceled { [base] () throws(EventLogError) in
      try await base.list(after: name)
    }
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try await returningWhenCanceled { [base] () throws(EventLogError) in try await base.read(name) }
  }

  func remove(_ name: String) async throws(EventLogError) {
    try await returningWhenCanceled { [base] () throws(EventLogError) in try await base.remove(name)
    }
  }

  func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    try await returningWhenCanceled { [base] () throws(EventLogError) in
      try await base.page(after: name)
    }
  }

  func changes(
    since mark: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? {
    try await returningWhenCanceled { [base] () throws(EventLogError) in
      try await base.changes(since: mark)
    }
  }
}

extension CancelableStorage: RetryingStorage, NoticingStorage {
  var notices: [String] { (base as? any NoticingStorage)?.notices ?? [] }

  /// The requests of a run share the base's limits.
  func forOneRun() -> any ObjectStorage {
    guard let base = base as? any RetryingStorage else { return self }
    return CancelableStorage(base: base.forOneRun())
  }
}
