// A place for objects that a test can look into and make fail.

public import EventLog
import Synchronization

/// A place for objects in memory, whose listings, objects and calls can be made to misbehave as
/// folders and clouds do.
///
/// ```swift
/// let cloud = MemoryStorage()
/// try await phone.sync(with: ObjectRemote(cloud))
/// cloud.failCall(after: 3)
/// ```
public final class MemoryStorage: ObjectStorage {
  private struct State {
    var objects: [String: [UInt8]] = [:]
    /// Names that are not listed and not found yet.
    var hidden: Set<String> = []
    var callsBeforeFailure: Int?
    var callCount = 0
    var vanishing: Set<String> = []
  }

  /// What reports and errors call the place.
  public let address: String
  private let pageCount: Int
  private let state = Mutex(State())

  /// - Parameter pageCount: how many objects a listing gives at a time.
  public init(address: String = "memory", pageCount: Int = 1000) {
    self.address = address
    self.pageCount = pageCount
  }

  // MARK: - Looking in

  /// The objects, by name.
  public var objects: [String: [UInt8]] {
    get { state.withLock(\.objects) }
    set { state.withLock { $0.objects = newValue } }
  }

  /// The names, in their order.
  public var names: [String] { objects.keys.sorted() }

  /// How many calls were made.
  public var callCount: Int { state.withLock(\.callCount) }

  // MARK: - Misbehaving

  /// Lets so many further calls through, then fails each one until ``stopFailing()``.
  public func failCall(after count: Int) { state.withLock { $0.callsBeforeFailure = count } }

  /// Lets calls through again.
  public func stopFailing() { state.withLock { $0.callsBeforeFailure = nil } }

  /// Keeps objects out of sight until ``showAll()``, as a late arrival is; their names stay taken.
  public func hide(_ names: some Sequence<String>) {
    state.withLock { $0.hidden.formUnion(names) }
  }

  /// Ends what ``hide(_:)`` began.
  public func showAll() { state.withLock { $0.hidden = [] } }

  /// Lists these objects, and finds none when they are read.
  public func letVanish(_ names: some Sequence<String>) {
    state.withLock { $0.vanishing.formUnion(names) }
  }

  // MARK: - Objects

  /// Puts an object where none has its name; returns false where one has it, hidden or not.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try call { state in
      if state.objects[name] != nil { return false }
      state.objects[name] = bytes
      return true
    }
  }

  /// Lists the next objects behind `name`, a page of them at most, without those that are hidden.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    let pageCount = pageCount
    return try call { state in
      state.objects.keys
        .filter { key in
          !state.hidden.contains(key)
            && name.map { $0.utf8.lexicographicallyPrecedes(key.utf8) } ?? true
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(pageCount)
        .map { StoredObject(name: $0, byteCount: Int64(state.objects[$0]!.count)) }
    }
  }

  /// Returns an object's bytes; nil for one that is hidden, has vanished or was never there.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try call { state in
      state.hidden.contains(name) || state.vanishing.contains(name) ? nil : state.objects[name]
    }
  }

  /// Removes an object, hidden or not; one that is not there is no error.
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
