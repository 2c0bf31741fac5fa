import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLog

/// Closed stores, journals as their own remotes, and default device names.
@Suite struct StoreEndTests {
  private func error(_ body: () async throws -> Void) async throws -> EventLogError {
    do { try await body() } catch { return try #require(error as? EventLogError) }
    throw Accepted()
  }

  private struct Accepted: Error {}

  @Test func `a closed store can be read but neither written nor synced`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let soup = try await phone.create(Meal.self, key: "soup").id
    try await phone.store.close()
    try await phone.store.close()
    let lines = try phone.lines()
    for call: () async throws -> Void in [
      { try await phone.edit(soup) { $0.kcal = 4 } },
      { try await phone.store.write { try $0.delete(soup) } },
      { try await phone.store.sync(with: tablet.remote) },
      { _ = try await phone.store.dryRunSync(with: tablet.remote) },
    ] {
      let error = try await error(call)
      #expect(error.code == .usage && error.message.contains("is closed"))
      #expect(error.hint?.contains("EventStore.open") == true)
    }
    #expect(try phone.lines() == lines && phone.snapshot[soup]?.kcal == 0)
  }

  @Test func `a journal is refused as its own remote under any path`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let store = try await EventStore.open(
      path: path, options: JournalOptions(user: "ada"),
      catalog: try SchemaCatalog().adding([Meal.self]))
    try await store.create(Meal.self)
    for name in [path, folder.file("./ada.jsonl")] {
      let error = try await error { try await store.sync(with: JournalRemote(path: name)) }
      #expect(error.code == .usage && error.message.contains("is the journal itself"))
      #expect(error.hint != nil)
    }
    let replicator = store.replicate(with: [JournalRemote(path: path)])
    for await statuses in replicator.updates {
      if case .stopped(let error) = statuses[0].phase, error.code == .usage { break }
    }
    await replicator.stop()
    let journal = Journal(path: path)
    let error = try await error { _ = try await journal.repair(from: JournalRemote(path: path)) }
    #expect(error.code == .usage)
  }

  @Test func `a device without a name uses the name of the host`() async throws {
    for (host, name) in [
      ("Desk.local", "desk"), ("", "device"), ("localhost", "device"), ("vm-1", "vm-1"),
    ] {
      #expect(HostName.short(host) == name)
    }
    #expect(JournalOptions().deviceName == HostName.current)
    var options = JournalOptions(deviceName: "phone")
    #expect(options.deviceName == "phone")
    for blank in ["", " \n"] {
      #expect(JournalOptions(deviceName: blank).deviceName == HostName.current)
      options.deviceName = blank
      #expect(options.deviceName == HostName.current)
    }
  }
}
