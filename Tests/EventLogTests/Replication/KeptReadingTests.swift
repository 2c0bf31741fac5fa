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

  @Test func `damage that came later is found and filled`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    #expect(try await beginning() > 0)
    var bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    let middle = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "y")))
    bytes[middle] = UInt8(ascii: "z")
    let file = try disk.open(stick.path, .readWrite)
    try disk.writeAll(file, bytes, at: 0)
    disk.close(file)
    #expect(try await beginning() == 0)
    #expect(try await phone.sync(with: stick).pushedCount == 1)
  }

  @Test func `another file in the place is read from its first line`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    let bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    try disk.replaceFile(at: stick.path, with: bytes)
    #expect(try keptState() == nil)
    #expect(try await phone.sync(with: stick).pushed.isEmpty)
    #expect(try await beginning() > 0)
  }

  @Test func `a journal with a checkpoint of its own needs none`() async throws {
    let tablet = try await Devices.meet(["tablet"], records: Meal.self, catalog: .standard)[0]
    try await fill(6_000)
    try await phone.sync(with: tablet)
    try await tablet.reopen()
    let side = SideFolder(beside: phone.store.path, fileSystem: phone.options.fileSystem)
    side.removeCheckpoint(ofOther: tablet.remote.address)
    try await fill(6_000)
    try await phone.sync(with: tablet)
    #expect(side.readCheckpoint(ofOther: tablet.remote.address) == nil)
  }

  @Test func `it is forgotten with the remote`() async throws {
    try await fill(6_000)
    try await phone.sync(with: stick)
    phone.journal.remember(stick.address)
    #expect(try phone.journal.forget(stick.address))
    #expect(try keptState() == nil)
  }
}
