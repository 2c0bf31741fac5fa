import EventLog
import EventLogTesting
import Synchronization

@testable import EventLogAccounts

/// A provider whose places are in memory, and whose condition a test sets.
final class TestProvider: Provider {
  private struct State {
    var availability = Availability.available
    var storages: [String: MemoryStorage] = [:]
    var callCount = 0
  }

  let name: String
  private let state = Mutex(State())

  init(_ name: String) { self.name = name }

  /// How often it was asked for anything.
  var callCount: Int { state.withLock(\.callCount) }

  func set(_ availability: Availability) { state.withLock { $0.availability = availability } }

  /// Where a user's events are.
  func storage(of user: String) -> MemoryStorage {
    state.withLock { state in
      if let storage = state.storages[user] { return storage }
      let storage = MemoryStorage(address: "\(name)/\(user)")
      state.storages[user] = storage
      return storage
    }
  }

  func availability(for user: String) async -> Availability {
    state.withLock { state in
      state.callCount += 1
      return state.availability
    }
  }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    state.withLock { $0.callCount += 1 }
    return ObjectRemote(storage(of: user))
  }
}
