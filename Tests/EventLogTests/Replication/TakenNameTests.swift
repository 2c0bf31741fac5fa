import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Remotes that report every name as taken, and remotes that don't list their objects.
@Suite struct TakenNameTests {
  private let phone: TemporaryStore

  init() async throws {
    phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
  }

  private func failure(_ storage: ScriptedStorage) async throws -> EventLogError {
    let error = await #expect(throws: EventLogError.self) {
      try await phone.sync(with: ObjectRemote(storage))
    }
    return try #require(error)
  }

  @Test(arguments: ["", ".jsonl"])
  func `a sync fails after four taken names`(end: String) async throws {
    var storage = ScriptedStorage()
    storage.onPut = { (base, name, bytes) throws(EventLogError) in
      name.hasSuffix(end) ? false : try await base.put(name, bytes)
    }
    let error = try await failure(storage)
    #expect(error.code == .remoteFailed && error.hint != nil)
    #expect(error.message.contains("\"far\" says that every name is taken"))
    let puts = storage.takeCalls().filter { $0.hasPrefix("put") && $0.hasSuffix(end) }
    #expect(puts.count == 4 && Set(puts).count == 4)
  }

  @Test func `compaction ends after four taken names, and the sync succeeds`() async throws {
    var storage = ScriptedStorage()
    // The longest range that isn't joined has three events.
    storage.onPut = { (base, name, bytes) throws(EventLogError) in
      let isJoined = (RangeName(name)?.range.count ?? 0) > 3
      return isJoined ? false : try await base.put(name, bytes)
    }
    for number in 1...8 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      let report = try await phone.sync(with: ObjectRemote(storage))
      #expect(report.notices.count == (number < 8 ? 0 : 1), "\(report.notices)")
    }
    // Eight ranges, eight frontiers, and four names.
    #expect(storage.takeCalls().count { $0.hasPrefix("put") } == 20)
  }

  @Test func `a put whose answer is lost isn't repeated under another name`() async throws {
    var storage = ScriptedStorage()
    storage.onPut = { (base, name, bytes) throws(EventLogError) in
      _ = try await base.put(name, bytes)
      return false
    }
    #expect(try await phone.sync(with: ObjectRemote(storage)).pushedCount == 2)
    #expect(storage.frontiers.count == 1 && storage.ranges.count == 1)
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self)
    #expect(try await tablet.sync(with: ObjectRemote(storage), .pull).pulledCount == 2)
  }

  // MARK: - Listings

  @Test func `a first push to a remote that doesn't list it fails`() async throws {
    var storage = ScriptedStorage()
    let isListing = Mutex(false)
    storage.onList = { (base, name) throws(EventLogError) in
      isListing.withLock { $0 } ? try await base.list(after: name) : []
    }
    for _ in 1...2 {
      let error = try await failure(storage)
      #expect(error.code == .remoteFailed)
      #expect(error.message.contains("\"far\" stores files, but does not list them"))
      #expect(storage.frontiers.count == 1 && storage.ranges.isEmpty)
      #expect(try phone.journal.status().remoteStatuses.allSatisfy { $0.success == nil })
    }
    isListing.withLock { $0 = true }
    #expect(try await phone.sync(with: ObjectRemote(storage)).pushedCount == 2)
    #expect(storage.frontiers.count == 1 && storage.ranges.count == 1)
  }

  @Test(arguments: [nil, 0, 40])
  func `a first push to a remote that returns nothing or a part fails`(
    byteCount: Int?
  ) async throws {
    var storage = ScriptedStorage()
    let isWhole = Mutex(false)
    storage.onRead = { (base, name) throws(EventLogError) in
      if isWhole.withLock({ $0 }) { return try await base.read(name) }
      guard let byteCount else { return nil }
      return try await base.read(name).map { Array($0.prefix(byteCount)) }
    }
    for _ in 1...8 {
      let error = try await failure(storage)
      #expect(error.code == .remoteFailed && error.hint != nil)
      #expect(error.message.contains("\"far\" does not return what it stores"))
      #expect(storage.frontiers.count <= 4 && storage.ranges.isEmpty)
    }
    isWhole.withLock { $0 = true }
    #expect(try await phone.sync(with: ObjectRemote(storage)).pushedCount == 2)
    #expect(storage.ranges.count == 1)
  }

  @Test func `a first push lists once more than later ones`() async throws {
    let storage = ScriptedStorage()
    var counts: [Int] = []
    for _ in 1...3 {
      _ = try await phone.create(Meal.self)
      try await phone.sync(with: ObjectRemote(storage))
      counts.append(storage.takeCalls().filter { $0 == "list" }.count)
    }
    // A page with objects is followed by an empty one.
    #expect(counts == [3, 2, 2])
  }
}
