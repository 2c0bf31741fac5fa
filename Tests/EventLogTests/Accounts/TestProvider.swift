import EventLog
import EventLogRemotes
import EventLogTesting
import Synchronization

@testable import EventLogAccounts

/// A provider with storages in memory, whose availability a test sets.
final class TestProvider: Provider {
  private struct State {
    var availability = Availability.available
    var storages: [String: MemoryStorage] = [:]
    var callCount = 0
    var delay = Duration.zero
    var isHanging = false
    /// The user whose storage every user gets, if any.
    var sharedUser: String?
  }

  let name: String
  private let state = Mutex(State())

  init(_ name: String) { self.name = name }

  /// The number of calls so far.
  var callCount: Int { state.withLock(\.callCount) }

  func set(_ availability: Availability) { state.withLock { $0.availability = availability } }

  /// Delays all calls of the storages by `duration`.
  func delay(by duration: Duration) { state.withLock { $0.delay = duration } }

  /// Makes the provider return the storage of `user` for all users, or their own if nil.
  func returnStorage(_ user: String?) { state.withLock { $0.sharedUser = user } }

  /// Makes all later calls hang.
  func hang() { state.withLock { $0.isHanging = true } }

  func storage(of user: String) -> MemoryStorage {
    state.withLock { state in
      if let storage = state.storages[user] { return storage }
      let storage = MemoryStorage(address: "\(name)/\(user)")
      state.storages[user] = storage
      return storage
    }
  }

  func availability(for user: String) async -> Availability {
    let (availability, isHanging) = state.withLock { state in
      state.callCount += 1
      return (state.availability, state.isHanging)
    }
    // A detached sleep isn't canceled with the caller's task.
    while isHanging { try? await Task.detached { try await Task.sleep(for: .seconds(3600)) }.value }
    return availability
  }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    let (delay, user) = state.withLock { state in
      state.callCount += 1
      return (state.delay, state.sharedUser ?? user)
    }
    return delay == .zero
      ? ObjectRemote(storage(of: user))
      : ObjectRemote(SlowStorage(base: storage(of: user), delay: delay))
  }
}

/// A storage with delayed calls.
private struct SlowStorage: ObjectStorage {
  let base: MemoryStorage
  let delay: Duration

  var address: String { base.address }

  private func wait() async { try? await Task.sleep(for: delay) }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    await wait()
    return try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    await wait()
    return try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    await wait()
    return try await base.read(name)
  }

  func remove(_ name: String) async throws(EventLogError) {
    await wait()
    try await base.remove(name)
  }
}
