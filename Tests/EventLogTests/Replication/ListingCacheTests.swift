import EventLog
import EventLogRemotes
import EventLogTesting
import Synchronization
import Testing

/// Requests to a remote that verifies its own objects, and the cache of its listing.
@Suite struct ListingCacheTests {
  /// A storage that verifies its objects, reports changes, and records the calls.
  private final class CloudStorage: ObjectStorage {
    private struct State {
      var objects: [(name: String, bytes: [UInt8])] = []
      var calls: [String] = []
      var tracksChanges = true
    }

    private let state = Mutex(State())
    let address = "memory:cloud"
    let checksItself = true

    /// Returns and clears the recorded calls.
    func takeCalls() -> [String] {
      state.withLock { state in
        defer { state.calls = [] }
        return state.calls
      }
    }

    /// Cuts off the ends of all frontiers.
    func cutFrontiers() {
      state.withLock { state in
        for index in state.objects.indices where state.objects[index].name.hasSuffix(".json") {
          state.objects[index].bytes.removeLast()
        }
      }
    }

    func stopTrackingChanges() { state.withLock { $0.tracksChanges = false } }
    var names: [String] { state.withLock { $0.objects.map(\.name) } }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      state.withLock { state in
        state.calls.append("put")
        if state.objects.contains(where: { $0.name == name }) { return false }
        state.objects.append((name, bytes))
        return true
      }
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      state.withLock { state in
        state.calls.append("list")
        return state.objects.map { StoredObject(name: $0.name, byteCount: Int64($0.bytes.count)) }
          .filter { object in name.map { $0 < object.name } ?? true }
          .sorted { $0.name < $1.name }
      }
    }

    func page(
      after name: String?
    ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
      (try await list(after: name), true)
    }

    func changes(
      since mark: String?
    ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? {
      state.withLock { state in
        guard state.tracksChanges else { return nil }
        state.calls.append(mark == nil ? "all" : "new")
        let start = mark.flatMap { Int($0) } ?? 0
        guard start <= state.objects.count else { return nil }
        return (
          state.objects[start...].map {
            StoredObject(name: $0.name, byteCount: Int64($0.bytes.count))
          }, "\(state.objects.count)"
        )
      }
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      state.withLock { state in
        state.calls.append("read")
        return state.objects.first { $0.name == name }?.bytes
      }
    }

    func remove(_ name: String) async throws(EventLogError) {
      state.withLock { state in
        state.calls.append("remove")
        // Later objects shift, so an older mark may be past the end.
        if let index = state.objects.firstIndex(where: { $0.name == name }) {
          state.objects.remove(at: index)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a sync with nothing new makes one request`(tracksChanges: Bool) async throws {
    let storage = CloudStorage()
    if !tracksChanges { storage.stopTrackingChanges() }
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: ObjectRemote(storage))
    // The first sync that finds its own objects reads those that it hasn't read yet.
    try await phone.sync(with: ObjectRemote(storage))
    _ = storage.takeCalls()
    for _ in 1...3 {
      try await phone.sync(with: ObjectRemote(storage))
      #expect(storage.takeCalls() == [tracksChanges ? "new" : "list"])
    }
  }

  @Test
  func `objects of other devices are found, and an emptied remote is filled again`() async throws {
    let storage = CloudStorage()
    let phone = try await TemporaryStore(records: Meal.self)
    let pad = try await TemporaryStore(records: Meal.self)
    for _ in 1...3 {
      for store in [phone, pad] {
        _ = try await store.create(Meal.self)
        try await store.sync(with: ObjectRemote(storage))
      }
    }
    try await phone.sync(with: ObjectRemote(storage))
    #expect(try Set(phone.lines()) == Set(pad.lines()))
    for name in storage.names { try await storage.remove(name) }
    try await phone.sync(with: ObjectRemote(storage))
    let fresh = try await TemporaryStore(records: Meal.self)
    try await fresh.sync(with: ObjectRemote(storage))
    #expect(try Set(fresh.lines()) == Set(phone.lines()))
  }

  @Test func `a known frontier that was cut off is written again by the next sync`() async throws {
    let storage = CloudStorage()
    storage.stopTrackingChanges()
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    for _ in 1...2 { try await phone.sync(with: ObjectRemote(storage)) }
    storage.cutFrontiers()
    _ = storage.takeCalls()
    try await phone.sync(with: ObjectRemote(storage))
    #expect(storage.takeCalls().contains("put"))
  }

  @Test func `all objects are listed again after forty syncs`() async throws {
    let storage = CloudStorage()
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    var lists: [Int] = []
    for run in 1...90 {
      try await phone.sync(with: ObjectRemote(storage))
      if storage.takeCalls().contains("all") { lists.append(run) }
    }
    #expect(lists == [1, 41, 81])
  }

  @Test func `a sync that ignores its cache lists and reads all objects`() async throws {
    let storage = CloudStorage()
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    for _ in 1...2 { try await phone.sync(with: ObjectRemote(storage)) }
    _ = storage.takeCalls()
    try await phone.store.sync(with: ObjectRemote(storage), readingAll: true)
    #expect(storage.takeCalls() == ["all"] + storage.names.map { _ in "read" })
    // The cache holds the result for the next sync.
    try await phone.sync(with: ObjectRemote(storage))
    #expect(storage.takeCalls() == ["new"])
  }
}
