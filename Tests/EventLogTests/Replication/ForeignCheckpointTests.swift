import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// A checkpoint beside a journal on a USB stick isn't trusted, because any user may have written
/// it.
@Suite struct ForeignCheckpointTests {
  private let disk = SystemFileSystem()
  private let folder: TemporaryFolder
  private let phone: TemporaryStore
  private var stick: JournalRemote { JournalRemote(path: folder.file("stick.jsonl")) }
  private var side: SideFolder { SideFolder(beside: stick.path, fileSystem: disk) }

  /// A stick with events that the phone lacks, and with a checkpoint.
  init() async throws {
    folder = try TemporaryFolder()
    phone = try await Devices.meet(["phone"], records: Meal.self, catalog: .standard)[0]
    _ = try await phone.append([.theme("first")])
    try await phone.sync(with: stick)
    let laptop = try await EventStore.open(
      path: stick.path, options: JournalOptions(deviceName: "laptop"), catalog: .standard)
    _ = try await laptop.append(
      (0..<1000).map { .theme(.string("one of many colours, number \($0)")) })
    try await laptop.close()
  }

  private func withFile(_ body: (JournalFile) throws -> Void) throws {
    let file = try JournalFile.open(stick.path, .read, fileSystem: disk)
    defer { file.close() }
    try body(file)
  }

  private func index(_ entries: [[LineIndex.Entry]]) -> LineIndex {
    var index = LineIndex()
    (index.starts, index.entries) = ([1 << 40, 1 << 41], entries)
    return index
  }

  @Test func `an index with offsets beyond the end of the file isn't used`() async throws {
    try withFile { file in
      let reading = try #require(CheckpointReading(beside: file, side))
      var pass = try #require(reading.pass(LedgerSink(), blank: LedgerSink()))
      let entries = pass.ledger.branches.indices.map { _ in
        [LineIndex.Entry(block: 0, sequence: 1), LineIndex.Entry(block: 1, sequence: 2)]
      }
      pass.ledger.index = index(entries)
      let checkpoint = CheckpointReading.checkpoint(of: pass, reading.checkpoint.origin)
      #expect(side.writeCheckpoint(checkpoint.sealed, of: Fold.definition(.standard)))
      let found = try #require(CheckpointReading(beside: file, side))
      #expect(found.pass(LedgerSink(), blank: LedgerSink()) == nil)
    }
    let report = try await phone.sync(with: stick)
    #expect(report.pulledCount == 1001)
  }

  @Test func `an index with inconsistent parts doesn't trap`() {
    let entries = [
      [LineIndex.Entry(block: 0, sequence: 1), LineIndex.Entry(block: 1, sequence: 2)]
    ]
    let index = index(entries)
    let parts = index.parts(of: 0, 1..<10, size: 100)
    #expect(parts.allSatisfy { $0.lowerBound <= $0.upperBound })
    #expect(!index.endsBefore(1 << 41) && index.endsBefore(1 << 41 + 1))
  }

  @Test func `a ledger with an invalid device ID is refused`() throws {
    var ledger = Ledger()
    _ = ledger.names.intern("phone-aaaaaaaa")
    #expect((try? Ledger(from: ledger.bytes[...])) != nil)
    _ = ledger.names.intern("no device ID")
    #expect(throws: ColumnFault.self) { try Ledger(from: ledger.bytes[...]) }
  }

  @Test func `a checkpoint larger than its journal isn't read`() async throws {
    try withFile { file in
      let size = try file.status.size
      let path = try #require(side.checkpointPaths().first)
      let large = try disk.open(path, .readWrite)
      defer { disk.close(large) }
      try disk.truncate(large, to: size + 1)
      #expect(side.readCheckpoint(at: path, besideBytes: size) == nil)
      #expect(side.readCheckpoint(at: path, besideBytes: size + 1) != nil)
      #expect(CheckpointReading(beside: file, side) == nil)
    }
    #expect(try await phone.sync(with: stick).pulledCount == 1001)
  }
}
