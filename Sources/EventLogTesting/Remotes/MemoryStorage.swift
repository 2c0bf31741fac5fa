public import EventLog
public import EventLogRemotes
import Synchronization

/// An object storage in memory that can be made to misbehave like folders and clouds do.
///
/// ```swift
/// let cloud = MemoryStorage()
/// try await phone.sync(with: ObjectRemote(cloud))
/// cloud.failCall(after: 3)
/// ```
public final class MemoryStorage: ObjectStorage {
  private struct State {
    var objects: [String: [UInt8]] = [:]
    /// Names that are neither listed nor found yet.
    var hidden: Set<String> = []
    var callsBeforeFailure: Int?
    var isFull = false
    var callCount = 0
    var vanishing: Set<String> = []
    var nested: [String: MemoryStorage] = [:]
  }

  /// The address in reports and errors.
  public let address: String
  /// The size of the parts of larger contents.
  public let partBytes: Int
  /// The size of the largest content that it takes, or `nil` for any.
  public let contentBytesMax: Int64?
  private let pageCount: Int
  private let state = Mutex(State())

  /// Creates an empty storage.
  ///
  /// - Parameters:
  ///   - address: The address in reports and errors.
  ///   - pageCount: The maximum number of objects that a listing returns at a time.
  ///   - partBytes: The size of the parts of larger contents.
  ///   - contentBytesMax: The size of the largest content that it takes, or `nil` for any.
  public init(
    address: String = "memory", pageCount: Int = 1000, partBytes: Int = 4 << 20,
    contentBytesMax: Int64? = nil
  ) {
    self.address = address
    (self.pageCount, self.partBytes) = (pageCount, partBytes)
    self.contentBytesMax = contentBytesMax
  }

  // MARK: - Contents

  /// The contents of all objects, by name.
  public var objects: [String: [UInt8]] {
    get { state.withLock(\.objects) }
    set { state.withLock { $0.objects = newValue } }
  }

  /// The names of all objects, sorted.
  public var names: [String] { objects.keys.sorted() }

  /// The number of calls so far.
  public var callCount: Int { state.withLock(\.callCount) }

  /// Returns the storage of other objects, which has its own failures.
  ///
  /// - Parameter name: The name of the storage.
  public func storage(named name: String) -> (any ObjectStorage)? { nested(name) }

  /// Returns the storage of other objects, such as `attachments`, to look into it.
  ///
  /// - Parameter name: The name of the storage.
  public func nested(_ name: String) -> MemoryStorage {
    state.withLock { state in
      if let storage = state.nested[name] { return storage }
      let storage = MemoryStorage(
        address: address, pageCount: pageCount, partBytes: partBytes,
        contentBytesMax: contentBytesMax)
      state.nested[name] = storage
      return storage
    }
  }

  // MARK: - Failures

  /// Makes all later calls fail until you call ``stopFailing()``.
  ///
  /// - Parameter count: The number of calls to let through first.
  public func failCall(after count: Int) { state.withLock { $0.callsBeforeFailure = count } }

  /// Lets calls succeed again.
  public func stopFailing() {
    state.withLock { state in
      state.callsBeforeFailure = nil
      state.isFull = false
    }
  }

  /// Refuses new objects with `quotaExceeded` until you call ``stopFailing()``.
  public func fill() { state.withLock { $0.isFull = true } }

  /// Hides objects until you call ``showAll()``, as if they arrived late.
  ///
  /// Their names stay taken.
  ///
  /// - Parameter names: The names of the objects.
  public func hide(_ names: some Sequence<String>) {
    state.withLock { $0.hidden.formUnion(names) }
  }

  /// Shows hidden objects again.
  public func showAll() { state.withLock { $0.hidden = [] } }

  /// Makes objects disappear between listing and reading them: they are listed, but not found.
  ///
  /// - Parameter names: The names of the objects.
  public func letVanish(_ names: some Sequence<String>) {
    state.withLock { $0.vanishing.formUnion(names) }
  }

  // MARK: - Objects

  /// Stores an object, or returns `false` if its name is taken, even by a hidden object.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    let isNew = try call { state -> Bool? in
      if state.objects[name] != nil { return false }
      if state.isFull { return nil }
      state.objects[name] = bytes
      return true
    }
    guard let isNew else {
      throw EventLogError(
        .quotaExceeded, "\"\(address)\" is full.", hint: "Remove something there.")
    }
    return isNew
  }

  /// Returns the next page of objects after a name, without hidden ones.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    let pageCount = pageCount
    return try call { state in
      state.objects.keys
        .filter { key in
          !state.hidden.contains(key)
            && name.map { $0.precedes(key) } ?? true
        }
        .sorted { $0.precedes($1) }.prefix(pageCount)
        .map { StoredObject(name: $0, byteCount: Int64(state.objects[$0]!.count)) }
    }
  }

  /// Returns the contents of an object, or `nil` if it doesn't exist, is hidden, or has vanished.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try call { state in
      state.hidden.contains(name) || state.vanishing.contains(name) ? nil : state.objects[name]
    }
  }

  /// Removes an object, even if it is hidden.
  ///
  /// It is not an error if the object doesn't exist.
  public func remove(_ name: String) async throws(EventLogError) {
    try call { state in state.objects[name] = nil }
  }

  private func call<Value: Sendable>(
    _ body: (inout State) -> Value
  ) throws(EventLogError) -> Value {
    let result = state.withLock { state -> Value? in
      state.callCount += 1
      if let rest = state.callsBeforeFailure {
        if rest <= 0 { return nil }
        state.callsBeforeFailure = rest - 1
      }
      return body(&state)
    }
    guard let result else {
      throw EventLogError(remoteFailed: "\"\(address)\" does not answer.", hint: "Try again.")
    }
    return result
  }
}
