import EventLog
import EventLogCollections
import EventLogTesting

/// Times appends to an open store, each followed by a snapshot.
///
/// The events go to a copy of the journal, then to an empty journal for comparison. Appends are
/// buffered, so that the time depends on the state instead of the disk.
struct StoreCosts {
  let path: String
  var count = 2000

  func run() async throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.jsonl")
    try Self.copy(path, to: copy)
    let large = try await time(copy, user: nil, "large")
    let small = try await time(folder.file("small.jsonl"), user: "ada", "small")
    print("append and snapshot, large/small: \(Self.ratio(large, small))")
  }

  private func time(_ path: String, user: String?, _ name: String) async throws -> Duration {
    let clock = ContinuousClock()
    var opened: EventStore?
    let opening = try await clock.measure {
      opened = try await EventStore.open(
        path: path, options: JournalOptions(deviceName: "bench", user: user), catalog: .standard)
    }
    let store = opened!
    let habit = EntityID(kind: "habit", key: "bench")!
    _ = try await store.append([
      EventDraft(type: "habit.created", entity: habit, data: ["name": "Bench"])
    ])
    var eventCount = 0
    let appending = try await clock.measure {
      for index in 0..<count {
        _ = try await store.append(
          [
            EventDraft(
              type: "habit.edited", entity: habit,
              data: ["goal": .number(JSONNumber(Int64(index + 1)))])
          ], durability: .buffered)
        eventCount &+= store.snapshot.eventCount
      }
    }
    try await store.close()
    print(
      "\(name): \(store.snapshot.eventCount) events, opened in \(opening),"
        + " \(appending / count) an append (\(eventCount))")
    return appending
  }

  private static func ratio(_ left: Duration, _ right: Duration) -> Double {
    (left / right * 100).rounded() / 100
  }

  private static func copy(_ source: String, to target: String) throws {
    let disk = SystemFileSystem()
    let from = try disk.open(source, .read)
    defer { disk.close(from) }
    let to = try disk.open(target, .create)
    defer { disk.close(to) }
    var offset: Int64 = 0
    while true {
      let bytes = try disk.readBytes(from, at: offset, count: 1 << 20)
      if bytes.isEmpty { return }
      try disk.writeAll(to, bytes, at: offset)
      offset += Int64(bytes.count)
    }
  }
}
