import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// The states of an app's own projections in checkpoints.
@Suite struct StoredProjectionTests {
  private struct Types: Projection {
    static let name = "types"
    static let version = 1
    var counts: [String: Int] = [:]

    mutating func apply(_ event: Event) { counts[event.type, default: 0] += 1 }
  }

  /// Has the name and form of `Types`, but another meaning.
  private struct Lengths: Projection {
    static let name = "types"
    static let version = 2
    var counts: [String: Int] = [:]

    mutating func apply(_ event: Event) {
      counts[event.type, default: 0] += event.data.members.count
    }
  }

  /// JSON has no infinity, so this state is never stored.
  private struct Endless: Projection {
    static let name = "endless"
    static let version = 1
    var limit = Double.infinity
    var last: String?

    mutating func apply(_ event: Event) { last = event.id.description }
  }

  private let sandbox: Sandbox
  init() throws { sandbox = try Sandbox() }

  private func store(_ projections: [any Projection.Type]) -> EventStore {
    EventStore(
      path: sandbox.path, options: sandbox.options(), catalog: .standard, projections: projections)
  }

  private func begin(_ projections: [any Projection.Type]) async throws {
    let store = store(projections)
    for batch in 0..<4 {
      _ = try await store.append((0..<250).map { .theme(.string("colour \(batch) \($0)")) })
    }
    try await store.close()
    try #require(sandbox.exists("ada.eventlog/cache/" + SideFolder.checkpointName(of: .standard)))
    _ = try await self.store([]).append([.begin])
  }

  /// Opens the store, and returns it and whether the whole journal was read.
  private func open(
    _ projections: [any Projection.Type]
  ) async throws -> (store: EventStore, readsAll: Bool) {
    sandbox.disk.resetCounts()
    let store = store(projections)
    try await store.refresh()
    return (store, sandbox.disk.bytesRead >= Int64(try sandbox.bytes().count))
  }

  @Test func `a projection continues from its stored state`() async throws {
    try await begin([Types.self])
    let (store, readsAll) = try await open([Types.self])
    #expect(!readsAll)
    #expect(
      store.snapshot[Types.self]?.counts
        == ["device.joined": 1, "settings.changed": 1000, "habit.created": 1])
  }

  @Test func `a projection of another version or without a stored state is computed again`()
    async throws
  {
    try await begin([Types.self, Endless.self])
    let (other, readsAll) = try await open([Lengths.self])
    #expect(readsAll)
    #expect(
      other.snapshot[Lengths.self]?.counts
        == ["device.joined": 2, "settings.changed": 1000, "habit.created": 1])
    #expect(other.snapshot.eventCount == 1002)
    let (both, readsForEndless) = try await open([Endless.self, Types.self])
    #expect(readsForEndless)
    #expect(both.snapshot[Endless.self]?.last?.hasSuffix(":1002") == true)
    #expect(both.snapshot[Types.self]?.counts["settings.changed"] == 1000)
  }

  @Test func `two projections with the same name are both computed again`() async throws {
    try await begin([Types.self, Lengths.self])
    let (store, readsAll) = try await open([Lengths.self, Types.self])
    #expect(readsAll)
    #expect(store.snapshot[Types.self]?.counts["device.joined"] == 1)
    #expect(store.snapshot[Lengths.self]?.counts["device.joined"] == 2)
  }

  @Test func `a journal that doesn't match its checkpoint is read completely`() async throws {
    try await begin([])
    // Damages a line in the middle, without moving other lines.
    var lines = Sandbox.lines(try sandbox.bytes())
    lines[500] = Sandbox.broken(lines[500])
    try sandbox.put(Array(lines.joined()))
    let (store, _) = try await open([Types.self])
    #expect(store.snapshot.damage.count == 2)
    #expect(store.snapshot[Types.self]?.counts["settings.changed"] == 999)
  }
}
