import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@Suite struct TemporaryStoreTests {
  /// Performs some typical writes.
  private func write(_ store: TemporaryStore) async throws {
    for name in ["Oats", "Milk"] { _ = try await store.create(Meal.self) { $0.name = name } }
    try await store.edit(Profile.self) { $0.firstName = "Ada" }
  }

  @Test func `stores with the same seed and name write the same bytes, and others don't`()
    async throws
  {
    var journals: [[String]] = []
    for (name, seed) in [("phone", 1), ("phone", 1), ("phone", 2), ("tablet", 1)] {
      let store = try await TemporaryStore(
        device: name, records: Meal.self, catalog: .standard, seed: UInt64(seed))
      try await write(store)
      journals.append(try store.lines())
    }
    #expect(journals[0] == journals[1])
    #expect(Set(journals).count == 3)
    // Devices with the same seed still generate different keys.
    let keys = journals.map { lines in
      lines[1].split(separator: "meal/")[1].prefix(8)
    }
    #expect(keys[0] != keys[3])
  }

  @Test func `events have the times of the store's clock`() async throws {
    let clock = AdjustableClock(at: Timestamp("2026-02-01T10:00:00Z")!, step: .zero)
    let store = try await TemporaryStore(records: Meal.self, catalog: .standard, clock: clock)
    _ = try await store.create(Meal.self, key: "oats")
    store.clock.advance(by: .seconds(60))
    try await store.edit(.oats) { $0.kcal = 1 }
    #expect(
      try store.events().map { $0.at?.description } == [
        "2026-02-01T10:00:00.000Z", "2026-02-01T10:00:00.000Z", "2026-02-01T10:01:00.000Z",
      ])
  }

  @Test func `a store without a journal file has no events, lines or device`() async throws {
    let store = try await TemporaryStore(records: Meal.self, catalog: .standard)
    #expect(try store.events().isEmpty && store.lines().isEmpty)
    #expect(store.deviceID == nil)
    #expect(store.snapshot.eventCount == 0)
    try await store.reopen()
    _ = try await store.create(Meal.self)
    #expect(store.deviceID?.text.hasPrefix("phone-") == true)
    #expect(try store.events().map(\.type) == ["device.joined", "meal.created"])
    #expect(try store.lines().count == 2)
  }

  @Test func `a reopened store keeps its data and device ID`() async throws {
    let store = try await TemporaryStore(records: Meal.self, catalog: .standard)
    let oats = try await store.create(Meal.self) { $0.name = "Oats" }.id
    let first = store.store
    let device = store.deviceID
    var changes = store.changes.makeAsyncIterator()
    #expect(await changes.next()?.eventCount == 2)
    try await store.reopen()
    #expect(store.store !== first)
    #expect(await changes.next() == nil)
    #expect(store.snapshot[oats]?.name == "Oats")
    try await store.edit(oats) { $0.kcal = 1 }
    #expect(store.deviceID == device)
    #expect(try Set(store.events().map(\.id.device)).count == 1)
  }

  @Test func `a store can be reopened after a failed sync`() async throws {
    let store = try await TemporaryStore(records: Meal.self, catalog: .standard)
    let oats = try await store.create(Meal.self).id
    store.disk.failNext(.sync, with: .inputOutput)
    #expect(
      await failureCode { () throws(EventLogError) in try await store.edit(oats) { $0.kcal = 1 } }
        == .syncFailed)
    try await store.reopen()
    try await store.edit(oats) { $0.kcal = 2 }
    #expect(try store.journal.verify().problems.isEmpty)
  }

  @Test func `a second store on the journal writes as the same device`() async throws {
    let store = try await TemporaryStore(records: Meal.self, catalog: .standard)
    let oats = try await store.create(Meal.self).id
    let widget = try await store.openAgain()
    try await widget.edit(oats) { $0.kcal = 1 }
    try await store.refresh()
    #expect(store.snapshot[oats]?.kcal == 1)
    #expect(try Set(store.events().map(\.id.device)).count == 1)
  }

  @Test func `the folder is removed with the store`() async throws {
    var store: TemporaryStore? = try await TemporaryStore(records: Meal.self, catalog: .standard)
    _ = try await store?.create(Meal.self)
    try await store?.close()
    let path = try #require(store?.folder.path)
    #expect(throws: Never.self) { try SystemFileSystem().status(at: path) }
    store = nil
    #expect(throws: Errno.noSuchFile) { try SystemFileSystem().status(at: path) }
  }

  @Test func `the folder exists while a journal refers to it`() async throws {
    func remainingJournal() async throws -> Journal {
      let phone = try await TemporaryStore(records: Meal.self, catalog: .standard)
      _ = try await phone.create(Meal.self, key: "oats")
      return phone.journal
    }
    let journal = try await remainingJournal()
    #expect(try journal.verify().eventCount == 2)
  }

  @Test func `a recorded journal is continued under a new device`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let recorded = try RecordedJournal(
      text: phone.lines().joined(separator: "\n"), records: Meal.self, catalog: .standard)
    let store = try await TemporaryStore(continuing: recorded, device: "desk")
    #expect(try differences(between: recorded, and: store) == [])
    try await store.edit(.oats) { $0.kcal = 380 }
    #expect(store.deviceID?.text.hasPrefix("desk-") == true)
    #expect(try Array(store.lines().prefix(3)) == phone.lines())
    // The store is another device of the same user.
    try await store.sync(with: tablet)
    #expect(tablet.snapshot[.oats]?.kcal == 380)
  }

  @Test func `a temporary store declares every call of an event store`() throws {
    func names(_ files: [SwiftSource], extending type: String) -> [String: Int] {
      var names: [String: Int] = [:]
      for file in files where file.code.containsBytes(of: type) {
        for line in file.codeLines {
          let words = line.split { !SwiftSource.isWordPart($0) }
          guard line.hasPrefix("  public "), words.count > 2, ["func", "var"].contains(words[1])
          else { continue }
          names[String(words[2]), default: 0] += 1
        }
      }
      return names
    }
    let store = names(
      SourceTree.library.filter { $0.path.contains("/Store/EventStore") }, extending: "EventStore")
    let device = names(
      SourceTree.files.filter { $0.path.contains("/Devices/TemporaryStore") },
      extending: "TemporaryStore")
    #expect(store["edit"] == 3 && store["snapshot"] == 2)
    for (name, count) in store {
      // One `append` takes entities by reference. The command needs it, but tests don't.
      let wanted = name == "append" ? count - 1 : count
      #expect(device[name, default: 0] >= wanted, "\(name) is not forwarded")
    }
  }
}
