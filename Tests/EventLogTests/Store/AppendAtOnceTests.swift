import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Buffered appends of one event, written at once by the caller's thread if possible.
///
/// The snapshot is computed when it is first read.
@Suite struct AppendAtOnceTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  private func open(
    on disk: (any FileSystem)? = nil, projections: [any Projection.Type] = []
  ) async throws -> EventStore {
    try await EventStore.open(
      path: box.path, options: box.options(on: disk, wait: 30_000), catalog: .standard,
      projections: projections)
  }

  private func advance(_ store: EventStore) async throws(EventLogError) -> AppendReceipt {
    try await store.append([.advance], durability: .buffered)
  }

  /// The number of appends, of `count`, that are written without suspending the caller.
  private func countAtOnce(_ store: EventStore, of count: Int) async throws -> Int {
    var found = 0
    for _ in 0..<count {
      let request = StoreRequest(durability: .buffered, mayBreakOff: false) {
        (batch, receipt) throws(EventLogError) in
        receipt.appended.append(.init(id: try batch.add(.advance), entity: nil))
      }
      if store.worker.appendAtOnce(request) != nil {
        found += 1
      } else {
        _ = try await advance(store)
      }
    }
    return found
  }

  // MARK: - Threads

  @Test func `a buffered append of one event usually returns without waiting`() async throws {
    // Not opened by `open`, so the store doesn't watch the file: no concurrent work.
    let store = box.store()
    _ = try await store.append([.begin])
    // The worker may be syncing earlier ones.
    #expect(try await countAtOnce(store, of: 200) > 100)
    #expect(store.snapshot.eventCount == 202)
    try await store.close()
    #expect(try box.journal().verify().eventCount == 202)
  }

  @Test func `events of one caller are written in the order of its calls`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    var events: [EventID] = []
    for number in 0..<300 {
      let durability = number % 7 == 3 ? Durability.durable : .buffered
      let drafts = Array(repeating: EventDraft.advance, count: number % 5 == 2 ? 3 : 1)
      events += try await store.append(drafts, durability: durability).appended.map(\.id)
    }
    #expect(events.map(\.sequence) == (3..<Int64(3 + events.count)).map { $0 })
    #expect(try box.events().suffix(events.count) == events)
  }

  @Test func `every concurrent task gets the events that it appended`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    let counts = Rounds.of(2000)
    let all = try await withThrowingTaskGroup(of: [EventID].self) { group in
      for task in 0..<6 {
        group.addTask {
          var own: [EventID] = []
          for number in 0..<counts / 6 {
            let isDurable = task == 0 && number % 10 == 0
            let receipt = try await store.append(
              [.advance], durability: isDurable ? .durable : .buffered)
            own += receipt.appended.map(\.id)
            // The snapshot includes an event as soon as its receipt is returned.
            #expect(store.snapshot.eventCount >= Int(receipt.appended[0].id.sequence))
          }
          #expect(own.map(\.sequence) == own.map(\.sequence).sorted())
          return own
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(all).count == all.count)
    #expect(store.snapshot.eventCount == 2 + all.count)
    try await store.close()
    #expect(store.snapshot.json() == (try box.state().json()))
  }

  @Test func `a buffered append in a canceled task returns its receipt`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    let receipts = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return [try await advance(store), try await store.append([.advance])]
    }.value
    #expect(receipts.map(\.appended.count) == [1, 1])
    #expect(store.snapshot.eventCount == 4)
  }

  // MARK: - Other processes

  @Test func `a buffered append first reads the events of another store`() async throws {
    let (one, other) = (box.store(), box.store())
    _ = try await one.append([.begin])
    for count in 1...50 {
      #expect(try await advance(other).snapshot.eventCount == 1 + 2 * count)
      #expect(try await advance(one).snapshot.eventCount == 2 + 2 * count)
    }
    #expect(Set(try box.events().map(\.device)).count == 1)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a buffered append fails if another process keeps the lock`() async throws {
    let store = EventStore(
      path: box.path, options: box.options(wait: 50), catalog: .standard, projections: [])
    _ = try await store.append([.begin])
    _ = try await advance(store)
    let file = try JournalFile.open(box.path, .readWrite, fileSystem: SystemFileSystem())
    #expect(try file.lock(exclusive: true, milliseconds: 1000))
    let code = await failureCode { () throws(EventLogError) in _ = try await advance(store) }
    #expect(code == .locked)
    #expect(store.snapshot.eventCount == 3)
    file.close()
    #expect(try await advance(store).snapshot.eventCount == 4)
  }

  @Test func `a sync that another process keeps from beginning is tried again`() async throws {
    let store = EventStore(
      path: box.path, options: box.options(wait: 50), catalog: .standard, projections: [])
    _ = try await store.append([.begin])
    let file = try JournalFile.open(box.path, .readWrite, fileSystem: SystemFileSystem())
    let receipt = try await advance(store)
    #expect(try file.lock(exclusive: true, milliseconds: 1000))
    for _ in 0..<2 {
      let code = await failureCode { () throws(EventLogError) in try await receipt.durable() }
      #expect(code == .locked)
    }
    #expect(await failureCode { () throws(EventLogError) in try await store.close() } == .locked)
    file.close()
    try await receipt.durable()
    try await store.close()
    try await receipt.durable()
  }

  @Test func `a receipt outlives a store that could not sync`() async throws {
    var store: EventStore? = EventStore(
      path: box.path, options: box.options(wait: 50), catalog: .standard, projections: [])
    _ = try await store?.append([.begin])
    let file = try JournalFile.open(box.path, .readWrite, fileSystem: SystemFileSystem())
    let receipt = try await advance(store!)
    #expect(try file.lock(exclusive: true, milliseconds: 1000))
    #expect(
      await failureCode { () throws(EventLogError) in try await receipt.durable() } == .locked)
    store = nil
    // Answered by the last sync of the store, before or after it.
    for _ in 0..<50 {
      let code = await failureCode { () throws(EventLogError) in try await receipt.durable() }
      #expect(code == .locked)
    }
    file.close()
  }

  @Test func `a buffered append uses a new device ID if device.json was removed`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let first = try #require(try await advance(store).appended.first?.id.device)
    try SystemFileSystem().remove(box.recordPath)
    let second = try #require(try await advance(store).appended.first?.id.device)
    #expect(first != second)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a replaced journal isn't written until it is opened again`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    _ = try await advance(store)
    try await store.sync()
    let bytes = try box.bytes()
    try SystemFileSystem().replaceFile(at: box.path, with: bytes)
    let code = await failureCode { () throws(EventLogError) in _ = try await advance(store) }
    #expect(code == .journalReplaced)
    #expect(try box.bytes() == bytes)
    let reopened = box.store()
    let receipt = try await advance(reopened)
    #expect(receipt.notices.count == 1, "It is a copy, and gets an ID of its own.")
    #expect(try box.bytes().starts(with: bytes))
    #expect(reopened.snapshot.json() == (try box.state().json()))
  }

  // MARK: - Snapshots

  @Test func `a receipt's snapshot keeps the state in which it was first read`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let read = try await advance(store)
    #expect(read.snapshot.eventCount == 3)
    let unread = try await advance(store)
    for _ in 0..<40 { _ = try await advance(store) }
    #expect(read.snapshot.eventCount == 3)
    #expect(unread.snapshot.eventCount == 44)
    _ = try await advance(store)
    #expect(unread.snapshot.eventCount == 44)
    #expect(store.snapshot.eventCount == 45)
  }

  @Test func `a receipt's snapshot can be read after its store is released`() async throws {
    var store: EventStore? = box.store()
    _ = try await store!.append([.begin])
    let receipt = try await advance(store!)
    store = nil
    #expect(receipt.snapshot.eventCount == 3)
  }

  @Test func `a new observer gets the latest snapshot and then every later one`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    for _ in 0..<10 { _ = try await advance(store) }
    var changes = store.changes.makeAsyncIterator()
    #expect(await changes.next()?.eventCount == 12)
    for count in 13...30 {
      _ = try await advance(store)
      #expect(await changes.next()?.eventCount == count)
    }
    _ = try await store.append([.advance])
    #expect(await changes.next()?.eventCount == 31)
  }

  @Test func `a loop over the changes can append to the same store`() async throws {
    let store = try await open()
    _ = try await store.append([.begin])
    for await state in store.changes {
      if state.eventCount >= 60 { break }
      _ = try await advance(store)
    }
    #expect(store.snapshot.eventCount == 60)
  }

  @Test func `a write's closure can read snapshots that were never read before`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let receipt = try await advance(store)
    _ = try await store.write(durability: .buffered) { batch in
      #expect(receipt.snapshot.eventCount == 3 && store.snapshot.eventCount == 3)
      try batch.append(.advance)
    }
    #expect(store.snapshot.eventCount == 4)
  }

  @Test func `concurrent readers never see the event count decrease`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let count = Rounds.of(2000)
    let reader = Task {
      var (last, wentBack) = (0, false)
      while last < 2 + count {
        let now = store.snapshot.eventCount
        if now < last { wentBack = true }
        last = now
        await Task.yield()
      }
      return wentBack
    }
    for number in 1...count {
      _ = try await advance(store)
      if number % 100 == 0 { #expect(store.snapshot.eventCount == 2 + number) }
    }
    #expect(await !reader.value)
  }

  // MARK: - Failures

  @Test func `after a failed write the snapshot contains all acknowledged events`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    _ = try await advance(store)
    box.disk.failNext(.write, with: .noSpace)
    let code = await failureCode { () throws(EventLogError) in _ = try await advance(store) }
    #expect(code == .inputOutput)
    #expect(store.snapshot.eventCount == 3)
    #expect(try await advance(store).snapshot.eventCount == 4)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `no failing call loses an acknowledged event`() async throws {
    for after in 0..<12 {
      let box = try Sandbox(seed: UInt64(after))
      let store = box.store()
      _ = try await store.append([.begin])
      var count = 2
      for _ in 0..<3 {
        _ = try await advance(store)
        count += 1
      }
      box.disk.failNextCall(after: after, with: .inputOutput)
      for _ in 0..<3 {
        let before = count
        do {
          #expect(try await advance(store).snapshot.eventCount == before + 1)
          count += 1
        } catch {
          #expect(store.snapshot.eventCount == before, "call \(after)")
        }
      }
      box.disk.stopFailing()
      #expect(try box.journal().verify().eventCount == count, "call \(after)")
    }
  }

  @Test func `a refused buffered append changes neither file nor snapshot`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    _ = try await advance(store)
    let bytes = try box.bytes()
    let code = await failureCode { () throws(EventLogError) in
      _ = try await store.append([.begin], durability: .buffered)
    }
    #expect(code == .entityExists)
    #expect(try box.bytes() == bytes && store.snapshot.eventCount == 3)
    #expect(try await advance(store).snapshot.eventCount == 4)
  }

  @Test func `an append acknowledged while the store closes is durable`() async throws {
    let recorder = CrashRecorder(box.disk)
    let store = try await open(on: recorder)
    _ = try await store.append([.begin])
    let acknowledged = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var count = 0
          while true {
            do throws(EventLogError) { _ = try await advance(store) } catch {
              #expect(error.code == .usage)
              return count
            }
            count += 1
          }
        }
      }
      try await Task.sleep(for: .milliseconds(30))
      try await store.close()
      return try await group.reduce(0, +)
    }
    #expect(try box.journal().verify().eventCount == 2 + acknowledged)
    #expect(store.snapshot.eventCount == 2 + acknowledged)
    #expect(recorder.possibleContents(of: box.path, limit: 4, seed: 1) == [try box.bytes()])
  }

  @Test func `an app's projection includes the event when the append returns`() async throws {
    struct Count: Projection {
      static let name = "count"
      static let version = 1
      var count = 0
      mutating func apply(_ event: Event) { count += 1 }
    }
    let store = try await open(projections: [Count.self])
    _ = try await store.append([.begin])
    for number in 3...30 {
      #expect(try await advance(store).snapshot[Count.self]?.count == number)
    }
  }
}

@Suite struct DeferredValueTests {
  @Test func `a value can be deferred only while the feed has no observer`() {
    let feed = LatestFeed(1)
    #expect(feed.putOff() && feed.latest == nil && feed.value == 1)
    feed.publish(2)
    #expect(feed.latest == 2)
    #expect(feed.putOff())
    feed.confirm()
    #expect(feed.latest == 2)
    let changes = feed.changes
    #expect(!feed.putOff() && feed.latest == 2)
    withExtendedLifetime(changes) {}
  }
}
