import EventLog
import EventLogCollections
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogClouds

/// The published documents, which match the state from any device and after any interruption.
@Suite struct PublisherTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func layout(
    _ habits: String = "users/{user}/habits/{id}", version: Int = 1
  ) throws -> DocumentLayout {
    try DocumentLayout(
      name: "test", version: version,
      rules: [
        .init(
          path: habits, section: "habits",
          fields: [.init("title", from: "name"), .init("goal", from: "goal")],
          where: ["archived": false]),
        .init(
          path: "users/{user}/completions/{date.month}/records/{habit}-{date}",
          section: "completions",
          fields: [.init("day", from: "date", isTimestamp: true), .init("n", from: "progress")]),
        .init(path: "userProfiles/{user}", section: "profile"),
      ])
  }

  private func open(_ name: String) async throws -> EventStore {
    try await EventStore.open(
      path: "\(folder.path)/\(name).jsonl",
      options: JournalOptions(deviceName: name, user: "ada"), catalog: .standard)
  }

  /// Computes the documents of a store's state from scratch.
  private func expected(
    _ store: EventStore, _ layout: DocumentLayout
  ) throws -> [String: PublishedDocument] {
    try layout.documents(of: Journal(store).snapshot().snapshot, for: "ada", computing: [:])
  }

  @Test func `only documents that differ are written`() async throws {
    let store = try await open("phone")
    let read = try await store.create(Habit.self, key: "read") { $0.name = "Read" }.id
    let run = try await store.create(Habit.self, key: "run") { $0.name = "Run" }.id
    try await store.edit(read, on: Day("2026-03-01")!) { $0.progress += 3 }
    let target = MemoryDocuments()
    let publisher = Publisher(try layout(), to: target)

    let plan = try await publisher.dryRun(store)
    #expect(plan.documentCount == 3 && target.documents.isEmpty)
    let first = try await publisher.publish(store)
    #expect(first == plan)
    #expect(
      first.written == [
        "users/ada/completions/2026-03/records/read-2026-03-01", "users/ada/habits/read",
        "users/ada/habits/run",
      ])
    #expect(
      target.documents["users/ada/completions/2026-03/records/read-2026-03-01"]?.fields == [
        "day": .timestamp(Timestamp("2026-03-01T00:00:00Z")!), "n": .json(3),
      ])
    let reads = target.readCount
    #expect(try await publisher.publish(store).isEmpty)
    // If nothing differs, only the publishing state is read.
    #expect(target.readCount == reads + 1)

    let before = target.writeCount
    try await store.edit(read) { $0.name = "Read more" }
    // No document has this field.
    try await store.edit(run) { $0.unit = "km" }
    let second = try await publisher.publish(store)
    #expect(second.written == ["users/ada/habits/read"])
    #expect(target.writeCount == before + 1)
    #expect(target.readCount == reads + 3)
    try await store.delete(read)
    try await store.edit(run) { $0.archived = true }
    let third = try await publisher.publish(store)
    #expect(third.written.isEmpty && third.deleted.count == 3)
    #expect(target.documents.isEmpty)
  }

  @Test func `a device without the published events changes nothing until it has synced`()
    async throws
  {
    let (phone, tablet) = (try await open("phone"), try await open("tablet"))
    let remote = FolderRemote(path: "\(folder.path)/Shared")
    let target = MemoryDocuments()
    let publisher = Publisher(try layout(), to: target)
    let read = try await phone.create(Habit.self, key: "read") { $0.name = "Read" }.id
    try await publisher.publish(phone, syncingWith: remote)
    try await tablet.create(Habit.self, key: "run") { $0.name = "Run" }
    let error = await #expect(throws: EventLogError.self) { try await publisher.publish(tablet) }
    #expect(error?.code == .behind && error?.hint?.contains("Sync first") == true)
    #expect(target.documents.count == 1)
    let report = try await publisher.publish(tablet, syncingWith: remote)
    #expect(report.written == ["users/ada/habits/run"])
    // The phone lacks that event, so now the phone is out of date.
    try await phone.edit(read) { $0.goal = 2 }
    await #expect(throws: EventLogError.self) { try await publisher.publish(phone) }
    try await publisher.publish(phone, syncingWith: remote)
    #expect(target.documents == (try expected(phone, layout())))
  }

  @Test func `a changed layout writes new documents and deletes obsolete ones`() async throws {
    let store = try await open("phone")
    try await store.create(Habit.self, key: "read") { $0.name = "Read" }
    try await store.edit(Profile.self) { $0.firstName = "Ada" }
    let target = MemoryDocuments()
    try await Publisher(try layout(), to: target).publish(store)
    let moved = try layout("users/{user}/routines/{id}", version: 2)
    let report = try await Publisher(moved, to: target).publish(store)
    #expect(report.written == ["users/ada/routines/read"])
    #expect(report.deleted == ["users/ada/habits/read"] && report.documentCount == 2)
    #expect(target.documents == (try expected(store, moved)))
    // An app with the old layout doesn't undo that.
    let error = await #expect(throws: EventLogError.self) {
      try await Publisher(try layout(), to: target).publish(store)
    }
    #expect(error?.code == .behind && error?.message.contains("version 2") == true)
    #expect(target.documents == (try expected(store, moved)))
    // Even a change to only the version is stored.
    let third = try layout("users/{user}/routines/{id}", version: 3)
    #expect(try await Publisher(third, to: target).publish(store).isEmpty)
    await #expect(throws: EventLogError.self) {
      try await Publisher(moved, to: target).publish(store)
    }
  }

  @Test func `an event without an effect on documents still keeps an older device from publishing`()
    async throws
  {
    let (phone, tablet) = (try await open("phone"), try await open("tablet"))
    let remote = FolderRemote(path: "\(folder.path)/Shared")
    let target = MemoryDocuments()
    let publisher = Publisher(try layout(), to: target)
    let read = try await phone.create(Habit.self, key: "read") { $0.name = "Read" }.id
    try await publisher.publish(phone, syncingWith: remote)
    try await phone.edit(read) { $0.name = "Write" }
    try await phone.sync(with: remote)
    try await tablet.sync(with: remote)
    try await phone.edit(read) { $0.name = "Read" }
    // The documents stay the same, but the tablet has an intermediate state.
    #expect(try await publisher.publish(phone).isEmpty)
    let error = await #expect(throws: EventLogError.self) { try await publisher.publish(tablet) }
    #expect(error?.code == .behind)
    #expect(target.documents == (try expected(phone, layout())))
  }

  @Test func `a publish syncs its events, so a second device has nothing to publish`() async throws
  {
    let store = try await open("phone")
    let remote = FolderRemote(path: "\(folder.path)/Shared")
    try await store.create(Habit.self, key: "read") { $0.name = "Read" }
    let target = MemoryDocuments()
    try await Publisher(try layout(), to: target).publish(store, syncingWith: remote)
    let other = try await open("tablet")
    try await other.sync(with: remote)
    #expect(try await Publisher(try layout(), to: target).publish(other).isEmpty)
  }

  @Test(arguments: [MemoryDocuments.Fault.refused, .responseLost, .responseLostAndRetried])
  func `an interrupted first run is finished by the next one`(
    fault: MemoryDocuments.Fault
  ) async throws {
    let store = try await open("phone")
    for key in ["a", "b", "c"] { _ = try await store.create(Habit.self, key: key) }
    for step in 0..<3 {
      let target = MemoryDocuments(count: 3)
      target.fail(Array(repeating: .none, count: step) + [fault])
      let publisher = Publisher(try layout(), to: target)
      if fault == .responseLostAndRetried {
        #expect(try await publisher.publish(store).written.count == 3)
      } else {
        await #expect(throws: EventLogError.self) { try await publisher.publish(store) }
        let remaining = 3 - target.documents.count
        #expect(try await publisher.publish(store).written.count == remaining)
      }
      #expect(target.documents == (try expected(store, layout())))
      #expect(try await publisher.publish(store).isEmpty)
      #expect(target.writeCount == 3)
    }
  }

  @Test func `commits stay within the document store's limits`() async throws {
    let store = try await open("phone")
    for number in 0..<60 {
      _ = try await store.create(Habit.self, key: "habit-\(number)") {
        $0.name = String(repeating: "x", count: number * 7)
      }
    }
    for (count, bytes) in [(3, 1 << 20), (4, 1 << 20), (500, 6_000), (500, 1), (20, 9_000)] {
      let target = MemoryDocuments(count: count, bytes: bytes)
      let report = try await Publisher(try layout(), to: target).publish(store)
      #expect(report.written.count == 60)
      #expect(target.documents == (try expected(store, layout())))
    }
  }

  @Test func `commits stay within the limits after the publishing state is deleted`() async throws {
    let store = try await open("phone")
    for number in 0..<30 { _ = try await store.create(Habit.self, key: "h\(number)") }
    for count in 3...6 {
      let target = MemoryDocuments(count: count, bytes: 6000)
      let publisher = Publisher(try layout(), to: target)
      try await publisher.publish(store)
      target.store(nil, of: "test")
      #expect(try await publisher.publish(store).written.count == 30)
      #expect(try await publisher.publish(store).isEmpty)
    }
  }

  @Test func `a deleted publishing state or bucket is rebuilt`() async throws {
    let store = try await open("phone")
    let keys = (0..<20).map { "h\($0)" }
    for key in keys { _ = try await store.create(Habit.self, key: key) }
    let target = MemoryDocuments(count: 500)
    let publisher = Publisher(try layout(), to: target)
    try await publisher.publish(store)
    try await store.delete(ID<Habit>("h0")!)
    // Without the state, all documents are written again, and the buckets show which ones to
    // delete.
    target.store(nil, of: "test")
    let second = try await publisher.publish(store)
    #expect(second.written.count == 19 && second.deleted == ["users/ada/habits/h0"])
    let texts = target.textNames.compactMap { target.text(of: $0) }
    #expect(!texts.contains { $0.contains("habits/h0\"") })
    #expect(target.documents == (try expected(store, layout())))
    // Without a bucket, its documents are written again.
    let bucket = "test.\(PublishedBucket.number(of: "users/ada/habits/h1"))"
    target.store(nil, of: bucket)
    try await store.edit(ID<Habit>("h1")!) { $0.name = "New" }
    #expect(try await publisher.publish(store).written.contains("users/ada/habits/h1"))
    #expect(try await publisher.publish(store).isEmpty && target.text(of: bucket) != nil)
    #expect(target.documents == (try expected(store, layout())))
  }

  @Test func `an unreadable publishing state isn't overwritten`() async throws {
    let store = try await open("phone")
    try await store.create(Habit.self, key: "read") { $0.name = "Read" }
    let numbers = Array(repeating: "1", count: PublishedState.bucketCount).joined(separator: ",")
    for text in [
      "", "{}", #"{"buckets":[],"frontier":[],"version":1}"#,
      #"{"buckets":[\#(numbers)],"frontier":[],"version":1}"#,
    ] {
      let target = MemoryDocuments()
      target.store(text, of: "test")
      let error = await #expect(throws: EventLogError.self) {
        try await Publisher(try layout(), to: target).publish(store)
      }
      #expect(error?.code == .remoteFailed && target.documents.isEmpty)
    }
    let target = MemoryDocuments()
    target.store("[]", of: "test.\(PublishedBucket.number(of: "users/ada/habits/read"))")
    await #expect(throws: EventLogError.self) {
      try await Publisher(try layout(), to: target).publish(store)
    }
    #expect(target.documents.isEmpty)
  }

  /// Runs 12 seeds with `EVENTLOG_ROUNDS`, and otherwise 3.
  @Test(arguments: 0..<(StorageContractTests.isComplete ? 12 : 3))
  func `two devices with failing commits end with the documents of the state`(
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let stores = [try await open("phone"), try await open("tablet")]
    let remote = FolderRemote(path: "\(folder.path)/Shared")
    let target = MemoryDocuments(count: Int.random(in: 3...6, using: &random))
    let layouts = [try layout(), try layout("users/{user}/routines/{id}")]
    let keys = ["a", "b", "c", "d"]
    for _ in 0..<25 {
      let store = stores.randomElement(using: &random)!
      let key = keys.randomElement(using: &random)!
      let id = ID<Habit>(key)!
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where store.snapshot[id] != nil: try await store.delete(id)
      case 1 where store.snapshot[id] != nil:
        let day = Day("2026-0\(Int.random(in: 1...3, using: &random))-01")!
        try await store.edit(id, on: day) { $0.progress += 1 }
      default:
        if store.snapshot[id] == nil {
          _ = try? await store.create(Habit.self, key: key) { $0.name = "New" }
        } else {
          let name = "\(Int.random(in: 0..<3, using: &random))"
          try await store.edit(id) { $0.name = name }
        }
      }
      guard Bool.random(using: &random) else { continue }
      target.fail(
        (0..<4).map { _ in
          [.none, .none, .refused, .responseLost, .responseLostAndRetried].randomElement(
            using: &random)!
        })
      let layout = layouts[Int.random(in: 0..<8, using: &random) / 7]
      let syncs = Bool.random(using: &random)
      _ = try? await Publisher(layout, to: target).publish(store, syncingWith: syncs ? remote : nil)
    }
    target.fail([])
    for store in stores + stores { try await store.sync(with: remote) }
    for store in stores {
      try await Publisher(layouts[0], to: target).publish(store)
      #expect(target.documents == (try expected(store, layouts[0])))
    }
  }
}
