import EventLog
import EventLogCollections
import EventLogTesting

/// Times each kind of append and a plain write of as many bytes.
///
/// Both times include disk and system overhead.
struct AppendCosts {
  var roundCount = 7
  /// The prefix of the names of the ways to time.
  var ways = ""

  private struct Way {
    var name: String
    /// The number of events to append.
    var count: Int
    /// The number of events in one call.
    var batch = 1
    /// The number of tasks that append concurrently.
    var tasks = 1
    var durability = Durability.durable
  }

  private static let ways = [
    Way(name: "durable, one at a time", count: 2000),
    Way(name: "durable, 64 tasks", count: 8000, tasks: 64),
    Way(name: "durable, batches of 100", count: 10_000, batch: 100),
    Way(name: "buffered, one at a time", count: 5000, durability: .buffered),
    Way(name: "buffered, batches of 1,000", count: 50_000, batch: 1000, durability: .buffered),
  ]

  func run() async throws {
    for way in Self.ways where way.name.hasPrefix(ways) {
      var rounds: [(append: Cost, write: Cost)] = []
      // The first round is a warm-up.
      for round in 0...roundCount {
        let folder = try TemporaryFolder()
        let (append, byteCount) = try await appending(way, folder.file("ada.jsonl"))
        let write = try await writing(way, byteCount, folder.file("floor"))
        if round > 0 { rounds.append((append, write)) }
      }
      print("\(way.name), \(way.count) events, \(roundCount) rounds in turn:")
      Cost.print("write", rounds.map(\.write))
      Cost.print("append", rounds.map(\.append), comparedTo: rounds.map(\.write))
    }
  }

  // MARK: - Appends

  private static let keyCount = 100

  /// Returns the cost of the appends, and the number of bytes that they have written.
  private func appending(_ way: Way, _ path: String) async throws -> (Cost, byteCount: Int) {
    let store = try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "bench", user: "ada"), catalog: .standard)
    _ = try await store.append(
      (0..<Self.keyCount).map {
        EventDraft(type: "habit.created", entity: Self.entity($0), data: ["name": "Bench"])
      })
    let disk = SystemFileSystem()
    let sizeBefore = try disk.status(at: path).size
    let cost = try await Cost.of {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<way.tasks {
          group.addTask {
            let count = way.count / way.tasks
            for start in stride(from: task * count, to: (task + 1) * count, by: way.batch) {
              _ = try await store.append(
                (start..<start + way.batch).map(Self.draft), durability: way.durability)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    try await store.close()
    return (cost, Int(try disk.status(at: path).size - sizeBefore))
  }

  private static func entity(_ index: Int) -> EntityID {
    EntityID(kind: "habit", key: "h\(100_000 + index % keyCount)")!
  }

  private static func draft(_ index: Int) -> EventDraft {
    EventDraft(
      type: "habit.edited", entity: entity(index),
      data: [
        "question": "bread water morning run read pages sleep",
        "note": "breakfast evening minutes exercise bread early walk",
        "position": .number(JSONNumber(Int64(1 + index % 3000))),
      ])
  }

  // MARK: - Writes

  /// Writes as many bytes in as many calls, counting concurrent appends as one call.
  private func writing(_ way: Way, _ byteCount: Int, _ path: String) async throws -> Cost {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    let callCount = way.count / (way.batch * way.tasks)
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount / callCount)
    return try await Cost.of {
      for call in 0..<callCount {
        try disk.writeAll(file, bytes, at: Int64(call * bytes.count))
        if way.durability == .durable { try disk.sync(file) }
      }
    }
  }
}
