import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// The bytes that a sync reads.
@Suite struct SyncCostTests {
  @Test func `new conflicts cost a sync at most one further reading of a journal`() async throws {
    var (bytesRead, sizes): ([Int64], [Int64]) = ([], [])
    for count in [4_000, 8_000] {
      let (phone, tablet) = try await Devices.meet(records: Meal.self, catalog: .standard)
      _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
      let drafts = (0..<count).map { number in
        EventDraft(
          type: "settings.changed",
          data: JSONObject([
            .init(name: "key\(number % 9)", value: .number(JSONNumber(Int64(number))))
          ]))
      }
      _ = try await phone.store.append(drafts)
      try await phone.sync(with: tablet)
      // Reopening writes a checkpoint on either side.
      for device in [phone, tablet] { try await device.reopen() }
      try await phone.edit(.oats) { $0.kcal = 371 }
      try await tablet.edit(.oats) { $0.kcal = 372 }
      let disk = InstrumentedFileSystem(machineIdentity: "phone")
      let options = JournalOptions(fileSystem: disk)
      let store = EventStore.unread(
        path: phone.store.path, options: options, catalog: phone.catalog)
      let report = try await store.sync(
        with: JournalRemote(path: tablet.store.path, options: options))
      #expect(report.newConflicts.map(\.base) == [370])
      bytesRead.append(disk.bytesRead)
      sizes.append(Int64(try tablet.lines().reduce(0) { $0 + $1.utf8.count + 1 }))
    }
    // Both journals are read once, and the one with the base a second time.
    for (read, size) in zip(bytesRead, sizes) { #expect(read < 4 * size) }
  }
}
