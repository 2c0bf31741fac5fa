import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Whether the writing processes have ended.
private final class Progress: Sendable {
  let isOver = Atomic(false)
}

/// Several processes that use one journal.
@Suite struct JournalProcessesTests {
  /// The work of one process: `count` appends of `batch` events each.
  private static func write(_ path: String, _ count: Int, batch: Int) async throws {
    let store = try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "phone", user: "ada"), catalog: .standard)
    let text = JSONValue.string(String(repeating: "x", count: batch > 1 ? 400 : 4))
    for _ in 0..<count {
      _ = try await store.append(Array(repeating: EventDraft.theme(text), count: batch))
    }
  }

  @Test func `two processes with 500 appends each write 1,000 events of one device`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let readings = try await Self.reading(path) {
      await withTaskGroup { group in
        group.addTask { await Self.expectSuccess(path, 500, batch: 1) }
        group.addTask { await Self.expectSuccess(path, 500, batch: 1) }
      }
    }
    #expect(readings > 0)
    try Self.checkWhole(path, 1001)
  }

  @Test func `readers find no damage while a process writes large batches`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let readings = try await Self.reading(path) {
      await Self.expectSuccess(path, 60, batch: 20)
    }
    #expect(readings > 0)
    try Self.checkWhole(path, 1201)
  }

  private static func expectSuccess(_ path: String, _ count: Int, batch: Int) async {
    await OwnQueue.run {
      await #expect(processExitsWith: .success) {
        [path = path as String, count = count as Int, batch = batch as Int] in
        try await Self.write(path, count, batch: batch)
      }
    }
  }

  /// Reads repeatedly while `body` runs, expects no problems, and returns the number of readings.
  private static func reading(
    _ path: String, while body: @Sendable () async -> Void
  ) async throws -> Int {
    let progress = Progress()
    return try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var count = 0
        while !progress.isOver.load(ordering: .acquiring) {
          await Task.yield()
          let journal = Journal(path: path, catalog: .standard)
          guard (try? SystemFileSystem().status(at: path)) != nil else { continue }
          #expect(try journal.verify().problems.isEmpty)
          let snapshot = try journal.snapshot()
          #expect(snapshot.warnings.isEmpty)
          #expect(snapshot.firstDamage == nil)
          count += 1
        }
        return count
      }
      await body()
      progress.isOver.store(true, ordering: .releasing)
      return try await group.next() ?? 0
    }
  }

  private static func checkWhole(_ path: String, _ count: Int) throws {
    let report = try Journal(path: path, catalog: .standard).verify()
    #expect(report.problems.isEmpty)
    #expect(report.eventCount == count)
    #expect(report.deviceCount == 1)
    let frontier = try Journal(path: path, catalog: .standard).snapshot().snapshot.frontier
    #expect(frontier.tips.map(\.sequence) == [Int64(count)])
  }
}
