import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Says whether the processes have ended.
private final class Progress: Sendable {
  let isOver = Atomic(false)
}

/// Real processes on one journal.
@Suite struct JournalProcessesTests {
  /// What a process of these tests does.
  private static func write(_ path: String, _ count: Int, batch: Int) async throws {
    let store = try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "phone", user: "ada"), catalog: .standard)
    let text = JSONValue.string(String(repeating: "x", count: batch > 1 ? 400 : 4))
    for _ in 0..<count {
      _ = try await store.append(Array(repeating: EventDraft.theme(text), count: batch))
    }
  }

  @Test func `two processes of 500 appends write 1,000 events of one device`() async throws {
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

  @Test func `of a process that writes large batches no reader sees a part as damage`() async throws
  {
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

  /// Reads as often as there is time while `body` runs; no reading may find a problem.
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
