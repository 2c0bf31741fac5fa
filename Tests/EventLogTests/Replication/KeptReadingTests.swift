import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// What a sync keeps of its reading of another journal, for the next sync.
@Suite struct KeptReadingTests {
  private let phone: TemporaryStore
  private let folder: TemporaryFolder
  /// A journal that no store has open, and none has left a checkpoint of.
  private var stick: JournalRemote { JournalRemote(path: folder.file("stick.jsonl")) }
  private var disk: any FileSystem { SystemFileSystem() }

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await Devices.meet(["phone"], records: Meal.self, catalog: .standard)[0]
  }

  /// Lines of a little more than 200 bytes.
  private func fill(_ count: Int) async throws {
    _ = try await phone.append(
      (0..<count).map { .theme(.string("one of many colours, number \($0)")) })
  }

  private var kept: KeptReading {
    KeptReading(
      in: SideFolder(beside: phone.store.path, fileSystem: phone.options.fileSystem),
      of: stick.address)
  }

  /// How many events of the other journal are kept, and up to where; nil for nothing.
  private func keptState() throws -> (count: Int, offset: Int64)? {
    let file = try JournalFile.open(stick.path, .read, fileSystem: disk)
    defer { file.close() }
    guard let reading = kept.checkpoint(of: file, disk) else { return nil }
    let count = reading.ledger.devices.indices.reduce(0) { $0 + reading.ledger.eventCount(of: $1) }
    return (count, reading.checkpoint.origin.offset)
  }

  /// Where a sync would begin to read the other journal; 0 for the first line.
  private func beginning() async throws -> Int64 {
    let replica = JournalReplica(stick.path, JournalOptions(), kept: kept)
    _ = try await replica.open(dryRun: true)
    return try await replica.withWriter { (writer) throws(EventLogError) in
      writer.pass.isResumed ? writer.pass.checkpointOffset : 0
    }
  }

  @Test func `the next sync begins behind it`() async throws {
    try await fill(6_000)
    #expect(try await phone.dryRunSync(with: stick).pushedCount > 6_000)
    #expect((try? disk.status(at: stick.path)) == nil)
    try await phone.sync(with: stick)
    let first = try #require(try keptState())
    #expect(first.count == phone.snapshot.eventCount)
    #expect(try await beginning() == first.offset)

    // Few more lines are not worth keeping, and are read.
    try await fill(10)
    #expect(try await phone.sync(with: stick).pushedCount == 10)
    #expect(try keptState()?.offset == first.offset)
    let again = try await phone.sync(with: stick)
    #expect(again.pushed.isEmpty && again.pulled.isEmpty && again.refused.isEmpty)

    try await fill(6_000)
    #expect(try await phone.sync(with: stick).pushedCount == 6_000)
    let second = try #require(try keptState())
    #expect(second.count == first.count + 6_010 && second.offset > first.offset)
  }

  @Test func `nothing is kept of a short journal, nor by a dry run`() async throws {
    try await fill(1_000)
    try await phone.sync(with: stick)
    #expect(try keptState() == nil)
    try await fill(6_000)
    _ = try await phone.dryRunSync(with: stick)
    #expect(try keptState() == nil)
  }

  private func change(_ body: (inout [UInt8]) throws -> Void) throws {
    var bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    try body(&bytes)
    let file = try disk.open(stick.path, .readWrite)
    defer { disk.close(file) }
    try disk.writeAll(file, bytes, at: 0)
  }

  @Test func `damage that came later is found and filled`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    #expect(try await beginning() > 0)
    try change { bytes in
      let middle = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "y")))
      bytes[middle] = UInt8(ascii: "z")
    }
    #expect(try await beginning() == 0)
    #expect(try await phone.sync(with: stick).pushedCount == 1)
  }

  @Test func `damage that somebody has acknowledged is not told again`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    try change { bytes in
      let end = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "\n")))
      bytes.insert(contentsOf: Array("nothing that is known\n".utf8), at: end + 1)
    }
    for _ in 0..<2 { #expect(try await phone.sync(with: stick).notices.count == 1) }
    _ = try await Journal(path: stick.path).acceptLoss()
    #expect(try await beginning() > 0)
    #expect(try await phone.sync(with: stick).notices.isEmpty)
  }

  @Test func `another file with the same bytes is as good, one with others is not`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    var bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    try disk.replaceFile(at: stick.path, with: bytes)
    #expect(try await beginning() == Int64(bytes.count))
    #expect(try await phone.sync(with: stick).pushed.isEmpty)
    bytes.removeLast(bytes.count / 2)
    try disk.replaceFile(at: stick.path, with: bytes)
    #expect(try await beginning() == 0)
  }

  @Test func `of two, the one that reaches further counts`() async throws {
    let tablet = try await Devices.meet(["tablet"], records: Meal.self, catalog: .standard)[0]
    try await fill(6_000)
    try await phone.sync(with: tablet)
    try await tablet.reopen()
    let side = SideFolder(beside: phone.store.path, fileSystem: phone.options.fileSystem)
    let kept = KeptReading(in: side, of: tablet.remote.address)
    func beginning() async throws -> Int64 {
      let replica = JournalReplica(tablet.store.path, JournalOptions(), kept: kept)
      _ = try await replica.open(dryRun: true)
      return try await replica.withWriter { (writer) throws(EventLogError) in
        writer.pass.checkpointOffset
      }
    }
    let own = try await beginning()
    try await fill(6_000)
    try await phone.sync(with: tablet)
    #expect(try await beginning() > own)
    try await fill(6_000)
    try await tablet.sync(with: phone)
    try await tablet.reopen()
    #expect(try await beginning() > 2 * own)
  }

  @Test func `of many other journals, the last ones are kept`() async throws {
    try await fill(6_000)
    let count = SideFolder.otherCheckpointsMax + 3
    for number in 0..<count {
      try await phone.sync(with: JournalRemote(path: folder.file("\(number).jsonl")))
    }
    let side = SideFolder(beside: phone.store.path, fileSystem: phone.options.fileSystem)
    let kept = (0..<count).filter {
      side.readCheckpoint(ofOther: folder.file("\($0).jsonl")) != nil
    }
    #expect(kept.count == SideFolder.otherCheckpointsMax && kept.last == count - 1)
  }

  @Test func `it is forgotten with the remote`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    phone.journal.remember(stick.address)
    #expect(try phone.journal.forget(stick.address))
    #expect(try keptState() == nil)
  }
}
