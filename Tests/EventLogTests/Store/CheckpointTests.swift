import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// The checkpoints in `cache/`: reading, writing, and the reasons to ignore one.
@Suite struct CheckpointTests {
  private let sandbox: Sandbox
  private static let checkpoint = "ada.eventlog/cache/" + SideFolder.checkpointName(of: .standard)

  init() throws { sandbox = try Sandbox() }

  /// Appends batches of 250 events, by default about 170 KiB.
  private func fill(_ store: EventStore, batches: Range<Int> = 0..<4) async throws {
    for batch in batches {
      _ = try await store.append(
        (0..<250).map { index in
          .theme(.string("colour \(batch * 1000 + index)"), ref: "ref \(batch)-\(index)")
        })
    }
  }

  /// Creates a journal with a checkpoint that covers all of it.
  private func begin() async throws {
    let store = sandbox.store()
    try await fill(store)
    try await store.close()
    try #require(sandbox.exists(Self.checkpoint))
  }

  /// Reads the snapshot, and counts the bytes read.
  private func read(
    _ catalog: SchemaCatalog = .standard, usesCheckpoint: Bool = true
  ) throws -> (bytes: Int64, snapshot: Snapshot) {
    let disk = InstrumentedFileSystem(machineIdentity: "desk")
    let journal = Journal(
      path: sandbox.path, catalog: catalog, fileSystem: disk, usesCheckpoint: usesCheckpoint)
    let snapshot = try journal.snapshot().snapshot
    return (disk.bytesRead, snapshot)
  }

  private func size(_ name: String = "ada.jsonl") throws -> Int64 {
    Int64(try sandbox.bytes(name).count)
  }

  // MARK: - Reading

  @Test func `opening a journal reads its checkpoint and the lines after it`() async throws {
    try await begin()
    let sizeBefore = try size()
    let store = sandbox.store()
    _ = try await store.append([.theme("dark")])
    _ = try await store.append([.theme("light")])
    let tail = try size() - sizeBefore
    let checkpoint = try size(Self.checkpoint)
    #expect(checkpoint < sizeBefore / 2)

    sandbox.disk.resetCounts()
    let reopened = sandbox.store()
    try await reopened.refresh()
    #expect(sandbox.disk.bytesRead >= checkpoint + tail)
    #expect(sandbox.disk.bytesRead <= checkpoint + tail + 2048)
    #expect(reopened.snapshot.eventCount == 1003)

    let first = try read()
    #expect(first.bytes <= checkpoint + tail + 2048)
    let all = try read(usesCheckpoint: false)
    #expect(all.bytes >= sizeBefore)
    #expect(first.snapshot.json() == all.snapshot.json())
    #expect(reopened.snapshot.json() == all.snapshot.json())
  }

  @Test func `verify reads every byte in spite of a checkpoint`() async throws {
    try await begin()
    let disk = InstrumentedFileSystem(machineIdentity: "desk")
    let report = try Journal(path: sandbox.path, catalog: .standard, fileSystem: disk).verify()
    #expect(report.eventCount == 1001)
    #expect(disk.bytesRead >= (try size()))
  }

  @Test func `an append after a checkpoint keeps the device ID and skips known refs`() async throws
  {
    try await begin()
    let store = sandbox.store()
    let receipt = try await store.append([
      .theme("dark", ref: "ref 0-0"), .theme("light", ref: "new"),
    ])
    #expect(receipt.skippedCount == 1)
    #expect(receipt.appended.map(\.id.sequence) == [1002])
    #expect(receipt.notices == [])
    #expect(try sandbox.journal().verify().problems == [])
  }

  @Test func `no checkpoint is read or written if they are disabled`() async throws {
    var options = sandbox.options()
    options.usesCheckpoints = false
    func open() -> EventStore {
      EventStore(
        path: sandbox.path, options: options, catalog: .standard, projections: [])
    }
    let store = open()
    try await fill(store)
    try await store.close()
    #expect(!sandbox.exists(Self.checkpoint))
    try await begin()
    sandbox.disk.resetCounts()
    let reopened = open()
    try await reopened.refresh()
    #expect(sandbox.disk.bytesRead >= (try size()))
  }

  // MARK: - Writing

  @Test func `a large journal gets a checkpoint while open, and a small one gets none`()
    async throws
  {
    let store = sandbox.store()
    _ = try await store.append([.begin])
    try await store.close()
    #expect(!sandbox.exists(Self.checkpoint))
    let large = sandbox.store()
    try await fill(large, batches: 0..<30)
    try await large.refresh()
    #expect(sandbox.exists(Self.checkpoint))
    #expect(try size(Self.checkpoint) < size())
  }

  @Test func `buffered appends alone write checkpoints while the store is open`() async throws {
    let store = sandbox.store()
    for batch in 0..<30 {
      let receipt = try await store.append(
        (0..<250).map { .theme(.string("colour \(batch * 1000 + $0)"), ref: "\(batch)-\($0)") },
        durability: .buffered)
      if batch == 29 { try await receipt.durable() }
    }
    // Returns after all work that follows the last append.
    _ = await store.isClosed
    #expect(sandbox.exists(Self.checkpoint))
    #expect(try read().snapshot.eventCount == 7501)
  }

  @Test func `the notice of a sync's own writes writes no checkpoint between its steps`()
    async throws
  {
    let other = sandbox.store("other.jsonl")
    try await fill(other, batches: 0..<60)
    try await other.close()
    let store = sandbox.store()
    let remote = JournalRemote(path: sandbox.folder.file("other.jsonl"), options: sandbox.options())
    var pulled: Int64 = 0
    for try await step in store.replication(with: remote, .pull) {
      store.worker.refreshSoon()
      // Returns after the work that follows the notice.
      _ = await store.isClosed
      guard case .pulled(let count, let all) = step, count < all else { continue }
      pulled = count
      #expect(!sandbox.exists(Self.checkpoint))
    }
    // One would have been due.
    #expect(try size() * pulled / 15_001 > 1 << 20)
    _ = await store.isClosed
    #expect(sandbox.exists(Self.checkpoint))
  }

  @Test func `a checkpoint is private, and failing to write it isn't an error`() async throws {
    let store = sandbox.store()
    try await fill(store)
    sandbox.disk.failNext(.rename, with: .noSpace)
    try await store.close()
    #expect(!sandbox.exists(Self.checkpoint))
    #expect(
      try SystemFileSystem().contents(of: sandbox.folder.file("ada.eventlog/cache")) == [])
    try await begin()
    let path = sandbox.folder.file(Self.checkpoint)
    let attributes = try Permissions.of(path)
    #expect(attributes == 0o600)
    #expect(try Permissions.of(Path.folder(of: path)) == 0o700)
  }

  @Test func `a failing call while a checkpoint is read or written loses nothing`() async throws {
    try await begin()
    let expected = try read(usesCheckpoint: false).snapshot.json()
    for call in 0..<40 {
      let disk = InstrumentedFileSystem(machineIdentity: "desk")
      disk.failNextCall(after: call, with: .inputOutput)
      let store = sandbox.store(on: disk)
      do {
        try await store.refresh()
        #expect(store.snapshot.json() == expected)
      } catch {
        #expect(error.code == .inputOutput)
      }
      try? await store.close()
      #expect(try read().snapshot.json() == expected)
    }
  }

  // MARK: - Ignored checkpoints

  /// Changes the files, and expects that the whole journal is read, with the same snapshot.
  private func expectPassedOver(
    _ catalog: SchemaCatalog = .standard, _ change: () throws -> Void
  ) async throws {
    try await begin()
    try change()
    let expected = try read(catalog, usesCheckpoint: false)
    let found = try read(catalog)
    #expect(found.bytes >= expected.bytes)
    #expect(found.snapshot.json() == expected.snapshot.json())
  }

  @Test func `a deleted, truncated or altered checkpoint is ignored`() async throws {
    try await expectPassedOver { try sandbox.remove(Self.checkpoint) }
    try await expectPassedOver { try sandbox.put([], Self.checkpoint) }
    try await expectPassedOver {
      try sandbox.put(Array(try sandbox.bytes(Self.checkpoint).dropLast()), Self.checkpoint)
    }
    try await expectPassedOver {
      var bytes = try sandbox.bytes(Self.checkpoint)
      bytes[bytes.count / 2] ^= 1
      try sandbox.put(bytes, Self.checkpoint)
    }
  }

  @Test func `a checkpoint of another schema is ignored`() async throws {
    let catalog = try SchemaCatalog.standard.adding([
      CollectionSchema(
        kind: "note", fields: [FieldSchema("text", .register(.text))])
    ])
    try await expectPassedOver(catalog) {}
  }

  // MARK: - Several schemas

  /// Opens a store with schema number `index`, fills and closes it, and returns the name of its
  /// checkpoint.
  private func open(_ index: Int, filling batches: Range<Int> = 0..<0) async throws -> String {
    let catalog = try SchemaCatalog.standard.adding([
      CollectionSchema(kind: "note", fields: [FieldSchema("text\(index)", .register(.text))])
    ])
    let store = EventStore(
      path: sandbox.path, options: sandbox.options(), catalog: catalog, projections: [])
    try await store.refresh()
    try await fill(store, batches: batches)
    try await store.close()
    return "ada.eventlog/cache/" + SideFolder.checkpointName(of: catalog)
  }

  @Test func `stores with two schemas keep each other's checkpoint`() async throws {
    try await begin()
    let other = try await open(1)
    #expect(sandbox.exists(Self.checkpoint) && sandbox.exists(other))
    #expect(try read().bytes < size())
  }

  @Test func `only the checkpoints of the last three of many schemas are kept`() async throws {
    try await begin()
    var names = [Self.checkpoint]
    for index in 1...5 { names.append(try await open(index)) }
    #expect(names.filter(sandbox.exists) == Array(names.suffix(SideFolder.checkpointsMax)))
  }

  @Test func `a reader without a schema uses the latest checkpoint that fits`() async throws {
    try await begin()
    let later = try await open(1, filling: 4..<8)
    func offset() throws -> Int64? {
      let file = try JournalFile.open(sandbox.path, .read, fileSystem: sandbox.disk)
      defer { file.close() }
      let side = SideFolder(beside: sandbox.path, fileSystem: sandbox.disk)
      return CheckpointReading(beside: file, side)?.checkpoint.origin.offset
    }
    let latest = try #require(try offset())
    try sandbox.put([1, 2, 3], later)
    let before = try #require(try offset())
    #expect(before > 0 && before < latest)
  }

  @Test func `verify removes the checkpoints of all schemas if it finds damage`() async throws {
    try await begin()
    let other = try await open(1)
    var bytes = try sandbox.bytes()
    bytes[bytes.count / 2] ^= 1
    try sandbox.put(bytes)
    #expect(try !sandbox.journal().verify().problems.isEmpty)
    #expect(!sandbox.exists(Self.checkpoint) && !sandbox.exists(other))
  }

  @Test func `a checkpoint of a copied, truncated or altered journal is ignored`() async throws {
    try await expectPassedOver {
      try sandbox.copy("ada.jsonl", to: "copy.jsonl")
      try sandbox.remove("ada.jsonl")
      try sandbox.rename("copy.jsonl", to: "ada.jsonl")
    }
    try await expectPassedOver {
      let bytes = try sandbox.bytes()
      try sandbox.put(Array(Sandbox.lines(bytes)[..<600].joined()))
    }
    try await expectPassedOver {
      // The length is unchanged, but the last event differs.
      var bytes = try sandbox.bytes()
      bytes[bytes.count - 5] ^= 1
      try sandbox.put(bytes)
    }
  }

  @Test func `a store opened unread finds damage that later checkpoints cover`() async throws {
    try await begin()
    let options = sandbox.options()
    func look() async throws -> (snapshot: Snapshot, bytes: Int64) {
      sandbox.disk.resetCounts()
      let store = EventStore.unread(path: sandbox.path, options: options, catalog: .standard)
      try await store.refresh()
      return (store.snapshot, sandbox.disk.bytesRead)
    }
    // Reads the checkpoint and each byte of the journal once, but parses no line.
    let sound = try await look()
    let (whole, checkpointSize) = (try size(), try size(Self.checkpoint))
    #expect(sound.snapshot.damage.isEmpty && sound.bytes < whole + checkpointSize + 2000)
    let state = try sandbox.state()
    #expect(sound.snapshot.json() == state.json())
    var bytes = try sandbox.bytes()
    bytes[bytes.count / 2] ^= 1
    try sandbox.put(bytes)
    // The app keeps appending and writes more checkpoints.
    for batch in [4, 6, 8] {
      let before = try sandbox.bytes(Self.checkpoint)
      let app = sandbox.store()
      try await fill(app, batches: batch..<(batch + 2))
      try await app.close()
      let after = try sandbox.bytes(Self.checkpoint)
      #expect(app.snapshot.damage.isEmpty && after != before)
    }
    let damage = try await look().snapshot.damage
    #expect(damage.contains { $0.isDamage })
  }

  @Test func `no checkpoint is written for a journal with a torn tail or without a last LF`()
    async throws
  {
    try await begin()
    try sandbox.remove(Self.checkpoint)
    let bytes = try sandbox.bytes()
    for end in [Array(bytes.dropLast()), bytes + Array("{\"id\"".utf8)] {
      try sandbox.put(end)
      let store = sandbox.store()
      try await store.refresh()
      try await store.close()
      #expect(!sandbox.exists(Self.checkpoint))
    }
  }

  // MARK: - Devices

  @Test func `a record older than the checkpoint keeps the device ID`() async throws {
    try await begin()
    let side = SideFolder(beside: sandbox.path, fileSystem: sandbox.disk)
    var record = try #require(side.readRecord())
    #expect(record.sequence == 1001)
    // Simulates a power loss that kept an older page of the record.
    record.sequence = 751
    let line = Sandbox.lines(try sandbox.bytes())[750]
    record.checksum = LineChecksum(text: line.dropLast(3).suffix(16))!
    try side.replaceRecord(record)
    sandbox.disk.resetCounts()
    let receipt = try await sandbox.store().append([.theme("dark")])
    // The journal contains the recorded event, so the device ID stays.
    #expect(receipt.appended.map(\.id) == [EventID(device: record.device, sequence: 1002)])

    try side.replaceRecord(record)
    record.checksum.chain ^= 1
    try side.replaceRecord(record)
    let other = try await sandbox.store().append([.theme("light")])
    #expect(other.appended.map(\.id.device) != [record.device])
  }

  @Test func `unsynced lines of another process after the checkpoint are synced`() async throws {
    try await begin()
    let device = try #require(sandbox.journal().status().device)
    // Simulates a process that ended before its sync: the record doesn't list the line.
    let record = try sandbox.bytes("ada.eventlog/device.json")
    _ = try await sandbox.store().append([.theme("dark")])
    try sandbox.put(record, "ada.eventlog/device.json")
    sandbox.disk.resetCounts()
    let sizeBefore = try size()
    let receipt = try await sandbox.store().append([.theme("light")])
    #expect(receipt.appended.map(\.id) == [EventID(device: device, sequence: 1003)])
    #expect(sandbox.disk.bytesRead < sizeBefore)
    // One sync for the other process's line, one for the new line.
    #expect(sandbox.disk.count(of: .sync) == 2)
  }

  @Test func `own lines that may be unsynced get no checkpoint`() async throws {
    try await begin()
    let record = try sandbox.bytes("ada.eventlog/device.json")
    let other = sandbox.store()
    try await fill(other, batches: 4..<8)
    try await other.close()
    try sandbox.remove(Self.checkpoint)
    try sandbox.put(record, "ada.eventlog/device.json")
    let store = sandbox.store()
    try await store.refresh()
    try await store.close()
    #expect(!sandbox.exists(Self.checkpoint))
  }

  @Test func `lines of other devices are synced before a checkpoint is written`() async throws {
    try sandbox.put(Array(Sandbox.lines(of: "tablet-aaaaaaaa", count: 600).joined()))
    let store = sandbox.store()
    try await store.refresh()
    sandbox.disk.resetCounts()
    sandbox.disk.failNext(.sync, with: .inputOutput)
    try await store.close()
    #expect(sandbox.disk.count(of: .sync) == 1)
    #expect(!sandbox.exists(Self.checkpoint))
    let reopened = sandbox.store()
    try await reopened.refresh()
    try await reopened.close()
    #expect(sandbox.exists(Self.checkpoint))
  }
}

extension SideFolder {
  /// The name of the checkpoint that stores with this schema write.
  static func checkpointName(of catalog: SchemaCatalog) -> String {
    "checkpoint-\(ChainDigits.text(CRC32C.checksum(Fold.definition(catalog))))"
  }
}
