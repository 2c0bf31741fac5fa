import EventLog
import EventLogRemotes
import EventLogTesting
import Synchronization
import Testing

@testable import EventLogAccounts

@Suite struct CancelableStorageTests {
  /// Counts the started runs.
  private final class CountingStorage: RetryingStorage {
    let runs = Atomic(0)
    private let base = MemoryStorage()

    var address: String { base.address }

    func forOneRun() -> any ObjectStorage {
      runs.add(1, ordering: .relaxed)
      return base
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      try await base.put(name, bytes)
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      try await base.list(after: name)
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      try await base.read(name)
    }

    func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
  }

  @Test func `every sync with a provider's storage is one run with its own retry limits`()
    async throws
  {
    let storage = CountingStorage()
    let provider = StorageProvider("cloud") { _ in storage }
    let device = try await TemporaryStore(records: Meal.self)
    _ = try await device.store.create(Meal.self) { $0.name = "Soup" }
    let remote = try await provider.remote(for: "ada")
    for count in 1...3 {
      try await device.store.sync(with: remote)
      #expect(storage.runs.load(ordering: .relaxed) == count)
    }
  }
}
