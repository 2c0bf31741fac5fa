import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Snapshots, the sequence of changes, and buffered appends.
@Suite struct StoreStateTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  private func open(on disk: (any FileSystem)? = nil) async throws -> EventStore {
    try await EventStore.open(
      path: box.path, options: box.options(on: disk, wait: 30_000), catalog: .standard)
  }

  // MARK: - Snapshots

  @Test func `a snapshot never changes and a later one contains later appends`() async throws {
    let store = try await open()
    #expect(store.snapshot.eventCount == 0)
    _ = try await store.append([.begin])
    var snapshots: [(Snapshot, [UInt8])] = []
    for count in 1...200 {
      let receipt = try await store.append(
        [.advance, .theme(.string("theme \(count)")), .theme(.number(JSONNumber(Int64(count))))])
      #expect(receipt.snapshot.eventCount == 2 + 3 * count)
      snapshots.append((receipt.snapshot, receipt.snapshot.json()))
    }
    for (snapshot, json) in snapshots { #expect(snapshot.json() == json) }
    // The state in memory equals the state that is read from the file.
    #expect(store.snapshot.json() == (try box.state().json()))
  }

  @Test func `events of others that a dry run has read are shown after it`() async throws {
    let other = box.store("other.jsonl")
    _ = try await other.append([.begin])
    try await other.close()
    // It doesn't watch the file.
    let store = box.store()
    _ = try await store.append([.theme("dark")])
    _ = try await box.store().append([.theme("light")])
    let remote = JournalRemote(path: box.folder.file("other.jsonl"), options: box.options())
    for try await _ in store.replication(with: remote, dryRun: true) {}
    // Returns after the work that follows the run.
    _ = await store.isClosed
    #expect(store.snapshot.eventCount == 3)
  }

  @Test func `a sync receives nothing after its store is closed`() async throws {
    let other = box.store("other.jsonl")
    _ = try await other.append([.begin])
    try await other.close()
    let store = box.store()
    _ = try await store.append([.theme("dark")])
    let bytes = try box.bytes()
    let remote = JournalRemote(path: box.folder.file("other.jsonl"), options: box.options())
    var stepCount = 0
    let code = await failureCode { () throws(EventLogError) in
      for try await step in store.replication(with: remote, .pull) {
        stepCount += 1
        if case .planned = step { try await store.close() }
      }
    }
    #expect(code == .usage && stepCount > 0)
    #expect(try box.bytes() == bytes)
  }

  @Test func `a refresh shows events that a sync of buffered events has read`() async throws {
    // Opened unread, the store doesn't watch the file.
    let store = EventStore.unread(path: box.path, options: box.options(), catalog: .standard)
    _ = try await store.append([.begin])
    let other = try await open()
    _ = try await store.append([.advance], durability: .buffered)
    _ = try await other.append([.advance])
    try await store.sync()
    try await store.refresh()
    #expect(store.snapshot.eventCount == 4)
  }

  @Test func `opening reads a journal and refuses a file of another kind`() async throws {
    _ = try await open().append([.begin, .advance])
    let store = try await open()
    #expect(store.snapshot.eventCount == 3)
    #expect(store.snapshot.user == "ada")
    try box.put(Array("no journal\n".utf8), "other.jsonl")
    let path = box.folder.file("other.jsonl")
    let options = box.options()
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await EventStore.open(path: path, options: options, catalog: .standard)
      } == .notAJournal)
    let missing = box.folder.file("missing.jsonl")
    let withoutUser = box.options(user: nil)
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await EventStore.open(path: missing, options: withoutUser, catalog: .standard)
      } == .noJournal)
  }

  @Test func `opening a journal of another user is refused`() async throws {
    _ = try await open().append([.begin])
    let path = box.path
    let options = box.options(user: "ben")
    let error = await thrown { () throws(EventLogError) in
      _ = try await EventStore.open(path: path, options: options, catalog: .standard)
    }
    #expect(error?.code == .otherUser && error?.location.file == path)
    for part in [path, "ada", "ben"] {
      #expect(error?.message.contains("\"\(part)\"") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `opening a journal in a missing folder is refused`() async throws {
    let options = box.options()
    for folder in ["none", "none/deeper"] {
      let path = box.folder.file("\(folder)/ada.jsonl")
      let error = await thrown { () throws(EventLogError) in
        _ = try await EventStore.open(path: path, options: options, catalog: .standard)
      }
      #expect(error?.code == .noJournal && error?.hint == "Create the folder first.")
      #expect(error?.message.contains(path) == true)
    }
    #expect(try SystemFileSystem().contents(of: box.folder.path).isEmpty)
  }

  // MARK: - Changes

  @Test func `a slow reader of changes skips states and gets the last`() async throws {
    let store = try await open(on: nil)
    _ = try await store.append([.begin])
    var changes = store.changes.makeAsyncIterator()
    #expect(await changes.next()?.eventCount == 2)
    let count = Rounds.of(10_000)
    for _ in 0..<count { _ = try await store.append([.advance], durability: .buffered) }
    // Only the latest state is buffered.
    #expect(await changes.next()?.eventCount == 2 + count)
    _ = try await store.append([.advance])
    #expect(await changes.next()?.eventCount == 3 + count)
    try await store.close()
    #expect(await changes.next() == nil)
  }

  @Test func `appends by another store appear without a refresh`() async throws {
    let store = try await open()
    let other = try await open()
    _ = try await other.append([.begin])
    for count in 1...20 {
      _ = try await other.append([.advance])
      for await state in store.changes where state.eventCount == 2 + count { break }
    }
    #expect(store.snapshot.json() == other.snapshot.json())
  }

  @Test func `the sequence of changes ends when the store is released`() async throws {
    var store: EventStore? = try await open()
    let changes = store!.changes
    store = nil
    var seen = 0
    for await _ in changes { seen += 1 }
    #expect(seen == 1)
  }

  @Test func `every concurrent reader gets ever newer states up to the last`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    let last = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var last = 0
          for await state in store.changes {
            #expect(state.eventCount > last)
            last = state.eventCount
            if last == 102 { break }
          }
          return last
        }
      }
      for _ in 0..<100 { _ = try await store.append([.advance], durability: .buffered) }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(last == Array(repeating: 102, count: 8))
  }

  // MARK: - Buffered appends

  @Test func `a buffered append is written when it returns and durable when awaited`() async throws
  {
    let recorder = CrashRecorder(box.disk)
    let store = try await open(on: recorder)
    _ = try await store.append([.begin])
    let before = try box.bytes()
    var receipts: [AppendReceipt] = []
    for _ in 0..<100 { receipts.append(try await store.append([.advance], durability: .buffered)) }
    #expect(try box.journal().verify().eventCount == 102)
    #expect(receipts.last?.snapshot.eventCount == 102)
    try await receipts[99].durable()
    #expect(recorder.possibleContents(of: box.path, limit: 9, seed: 1) == [try box.bytes()])
    #expect(try box.bytes().starts(with: before))
    for receipt in receipts { try await receipt.durable() }
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a power loss before the sync loses events only from the end`() async throws {
    for seed in RandomRounds(12) {
      let box = try Sandbox(seed: seed)
      var generator = SplitMix64(seed: seed)
      let recorder = CrashRecorder(box.disk)
      let store = try await EventStore.open(
        path: box.path, options: box.options(on: recorder, wait: 30_000), catalog: .standard)
      _ = try await store.append([.begin])
      let durable = try box.bytes()
      for _ in 0..<Int.random(in: 1...9, using: &generator) {
        _ = try await store.append(
          Array(repeating: .advance, count: .random(in: 1...40, using: &generator)),
          durability: .buffered)
      }
      // Records first: if the store syncs in between, the result is an older record with a newer
      // journal. A power loss can leave that, but not the reverse.
      let records = recorder.possibleContents(of: box.recordPath, limit: 6, seed: seed)
      let journals = recorder.possibleContents(of: box.path, limit: 6, seed: seed)
      try await store.close()
      for journal in journals {
        for record in records {
          try box.put(journal)
          try box.put(record, "ada.eventlog/device.json")
          let reopened = try await EventStore.open(
            path: box.path, options: box.options(wait: 30_000), catalog: .standard)
          _ = try await reopened.append([.advance])
          #expect(try box.bytes().starts(with: durable), "EVENTLOG_SEED=\(seed)")
          let events = try box.events()
          #expect(Set(events).count == events.count, "EVENTLOG_SEED=\(seed)")
          #expect(try box.journal().verify().problems == [], "EVENTLOG_SEED=\(seed)")
        }
      }
    }
  }

  @Test func `a failed sync is reported to the waiting caller and to later appends`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    box.disk.failNext(.sync, with: .inputOutput, times: .max)
    let receipt = try await store.append([.advance], durability: .buffered)
    #expect(
      await failureCode { () throws(EventLogError) in try await receipt.durable() } == .syncFailed)
    box.disk.stopFailing()
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.advance])
      } == .syncFailed)
    // After reopening, the end of the file is written again and synced.
    _ = try await open().append([.advance])
    #expect(try box.journal().verify().problems.isEmpty)
  }
}
