import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Scanning on a second thread gives the same result as scanning on one.
@Suite struct ReadAheadTests {
  /// A digest of all calls to a sink.
  private struct Digest: LineSink, Equatable {
    var stopsAfter = Int.max
    var lines = 0
    var members = 0
    var seen = 0
    var faults: [LineFault] = []
    var checksum: UInt32 = 0
    var last: LinePosition?
    var isStopped: Bool { lines >= stopsAfter }

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      lines += 1
      members += layout.members.count
      seen += layout.seen.count
      last = position
      let text = Event(layout, canonical: canonical).id.description
      checksum = CRC32C.checksum(Array("\(checksum)\(text)".utf8) + line.copy())
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
      faults.append(fault)
      checksum = CRC32C.checksum(Array("\(checksum)".utf8) + line.copy())
    }
  }

  /// A journal too large to be read on one thread, with some blank and some damaged lines.
  ///
  /// The lines are long, because generating a line costs much more than its bytes.
  private static let largeJournal: [UInt8] = {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let tablet = history.device("tablet")
    history.append(phone, "habit.created", "habit/read", ["name": "Read"])
    history.sync(from: phone, to: tablet)
    let text = String(repeating: "a long text with é ", count: 240)
    for index in 0..<1000 {
      history.append(
        index % 3 == 0 ? tablet : phone, "habit.edited", "habit/read",
        ["question": .string(text), "position": .number(JSONNumber(Int64(index)))])
      if index % 50 == 0 { history.sync(from: phone, to: tablet) }
    }
    var bytes: [UInt8] = []
    for (index, line) in history.lines.enumerated() {
      bytes += index % 120 == 119 ? Array("damaged".utf8) + line : line
      if bytes.last != 0x0A { bytes.append(0x0A) }
      if index % 85 == 0 { bytes += " \r\n".utf8 }
    }
    return bytes
  }()

  /// Writes `largeJournal` to a file.
  private static func writeLargeJournal(in folder: TemporaryFolder) throws -> (String, Int64) {
    let path = folder.file("large.jsonl")
    let disk = SystemFileSystem()
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.writeAll(file, largeJournal, at: 0)
    return (path, Int64(largeJournal.count))
  }

  private static func read(
    _ path: String, inParallel: Bool, upTo end: Int64, into sink: inout Digest
  ) throws -> ReadAhead.End {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    let reading = ReadAhead(of: file, in: disk)
    return try inParallel
      ? reading.readInParallel(from: 0, 1, upTo: end, into: &sink)
      : reading.read(from: 0, 1, upTo: end, into: &sink)
  }

  @Test func `a sink gets the same calls from two threads as from one`() throws {
    let folder = try TemporaryFolder()
    let (path, size) = try Self.writeLargeJournal(in: folder)
    #expect(size > 4 << 20)
    for end in [size, size - 1, size / 2, 0] {
      var alone = Digest()
      var together = Digest()
      let first = try Self.read(path, inParallel: false, upTo: end, into: &alone)
      let second = try Self.read(path, inParallel: true, upTo: end, into: &together)
      #expect(alone == together)
      #expect(first.offset == second.offset)
      #expect(first.number == second.number)
      #expect(first.slowLineCount == second.slowLineCount)
    }
  }

  @Test func `a sink that stops gets no more calls`() throws {
    let folder = try TemporaryFolder()
    let (path, size) = try Self.writeLargeJournal(in: folder)
    for count in [1, 100, 800] {
      var alone = Digest(stopsAfter: count)
      var together = Digest(stopsAfter: count)
      _ = try Self.read(path, inParallel: false, upTo: size, into: &alone)
      _ = try Self.read(path, inParallel: true, upTo: size, into: &together)
      #expect(alone == together)
    }
  }

  @Test func `a disk error in the middle of a reading is reported`() throws {
    let folder = try TemporaryFolder()
    let (path, size) = try Self.writeLargeJournal(in: folder)
    let disk = InstrumentedFileSystem()
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    disk.failNext(.read, after: 5, with: .inputOutput)
    var sink = Digest()
    #expect(throws: Errno.inputOutput) {
      try ReadAhead(of: file, in: disk).readLines(upTo: size, into: &sink)
    }
  }
}
