import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// The snapshot of a store after a sync that failed because of its own disk.
@Suite(.tags(.faults)) struct BrokenSyncTests {
  /// A store with two appends, its disk, and a remote with more events.
  private struct Scene {
    let box: Sandbox
    let store: EventStore
    let remote: JournalRemote
    private let other: Sandbox

    init(writing drafts: [EventDraft]) async throws {
      box = try Sandbox()
      other = try Sandbox(seed: 2)
      store = box.store()
      _ = try await store.append([.begin, .advance])
      let tablet = other.store()
      for draft in drafts { _ = try await tablet.append([draft]) }
      try await tablet.close()
      remote = JournalRemote(path: other.path)
    }

    /// Syncs, ignores the error, and waits for the store's remaining work.
    func sync() async throws {
      _ = await failureCode { () throws(EventLogError) in _ = try await store.sync(with: remote) }
      #expect(await !store.isClosed)
    }
  }

  @Test(arguments: [1, .max])
  func `a sync with a failing call leaves the same snapshot or a newer one`(
    times: Int
  ) async throws {
    for after in 0..<60 {
      let scene = try await Scene(writing: [.theme("dark")])
      #expect(scene.store.snapshot.eventCount == 3)
      scene.box.disk.failNextCall(after: after, with: .inputOutput, times: times)
      try await scene.sync()
      #expect([3, 5].contains(scene.store.snapshot.eventCount), "call \(after)")
      #expect(scene.store.snapshot.entity(EntityID("habit/read")!) != nil, "call \(after)")
      scene.box.disk.stopFailing()
      try await scene.store.refresh()
      #expect(
        try scene.store.snapshot.eventCount == scene.box.journal().verify().eventCount,
        "call \(after)")
    }
  }

  @Test func `events received before a write fails are shown`() async throws {
    let wide = JSONValue.string(String(repeating: "x", count: 700_000))
    var counts: Set<Int> = []
    for after in 0..<8 {
      let scene = try await Scene(
        writing: (0..<4).map { .of("settings.changed", nil, ["key\($0)": wide]) })
      scene.box.disk.failNext(.write, after: after, with: .noSpace)
      try await scene.sync()
      let written = try scene.box.journal().verify().eventCount
      #expect(scene.store.snapshot.eventCount == written, "write \(after)")
      counts.insert(written)
    }
    // A message has space for two such lines, so one write contains only some of the events.
    #expect(counts.contains { $0 > 3 && $0 < 8 }, "\(counts)")
  }
}
