import EventLogTesting
import Testing

@testable import EventLog

/// Where events stand, and the reading of some of them.
@Suite struct RangeReaderTests {
  private let place: Sandbox
  private let file: FileDescriptor
  private var size: Int64 { Int64((try? place.bytes().count) ?? 0) }

  /// Three devices, whose lines take turns of different lengths, over many blocks.
  init() throws {
    place = try Sandbox()
    var lines: [[UInt8]] = []
    let devices = ["a-aaaaaaaa", "b-bbbbbbbb", "c-cccccccc"].map {
      Sandbox.lines(of: $0, count: 3_000)
    }
    var next = [0, 0, 0]
    var random = SplitMix64(seed: 3)
    while let device = (0..<3).filter({ next[$0] < 3_000 }).randomElement(using: &random) {
      for _ in 0..<Int.random(in: 1...40, using: &random) where next[device] < 3_000 {
        lines.append(devices[device][next[device]])
        next[device] += 1
      }
    }
    try place.put(lines.flatMap(\.self))
    file = try place.disk.open(place.path, .read)
  }

  private func pass() throws -> JournalPass<EventList> {
    var pass = JournalPass(sink: EventList())
    _ = try JournalReading(path: place.path, fileSystem: place.disk, file: file)
      .read(into: &pass, synced: nil)
    return pass
  }

  private func read(_ ranges: [EventRange], _ ledger: Ledger) throws -> [[UInt8]] {
    var reader = RangeReader(
      ranges, path: place.path, file: file, fileSystem: place.disk, ledger: ledger, size: size)
    var lines: [[UInt8]] = []
    while let batch = try reader.next() {
      #expect(!batch.isEmpty)
      let some = Sandbox.lines(batch.bytes)
      #expect(some.count == batch.count)
      lines += some
    }
    return lines
  }

  @Test func `ranges are read as they stand, in the order of the file`() throws {
    let pass = try pass()
    #expect(pass.problems.count == 0 && pass.ledger.index.starts.count > 10)
    let all = Sandbox.lines(try place.bytes())
    var random = SplitMix64(seed: 5)
    for _ in 0..<20 {
      var ranges: [EventRange] = []
      for device in ["a-aaaaaaaa", "b-bbbbbbbb", "c-cccccccc"] where Bool.random(using: &random) {
        let first = Int64.random(in: 1...3_000, using: &random)
        ranges.append(
          EventRange(
            device: DeviceID(device)!, first: first,
            last: Int64.random(in: first...3_000, using: &random)))
      }
      let expected = zip(pass.sink.ids, all).filter { id, _ in
        ranges.contains { $0.contains(EventID(id)!) }
      }
      #expect(try read(ranges, pass.ledger) == expected.map(\.1))
    }
  }

  @Test func `little more is read than what is asked for`() throws {
    let pass = try pass()
    place.disk.resetCounts()
    let range = EventRange(device: DeviceID("b-bbbbbbbb")!, first: 1_500, last: 1_510)
    #expect(try read([range], pass.ledger).count == 11)
    #expect(place.disk.bytesRead <= 3 * LineIndex.blockBytes)
    #expect(size > 10 * LineIndex.blockBytes)
  }

  @Test func `the index of a reading in two parts is that of one`() throws {
    let whole = try pass().ledger.index
    var parts = JournalPass(sink: EventList())
    let bytes = try place.bytes()
    var end = 0
    for line in Sandbox.lines(bytes) {
      end += line.count
      if end % 7 != 0 { continue }
      try place.put(Array(bytes[..<end]), "part.jsonl")
      let file = try place.disk.open(place.folder.file("part.jsonl"), .read)
      defer { place.disk.close(file) }
      _ = try JournalReading(
        path: place.folder.file("part.jsonl"), fileSystem: place.disk, file: file
      ).read(into: &parts, synced: nil)
      if end > 400_000 { break }
    }
    let index = parts.ledger.index
    #expect(index.starts.count > 4)
    #expect(index.starts[...] == whole.starts[..<index.starts.count])
    var encoder = ColumnEncoder()
    index.encode(into: &encoder)
    var decoder = ColumnDecoder(encoder.bytes[...])
    let decoded = try LineIndex(from: &decoder, deviceCount: 3)
    #expect(decoded.starts == index.starts)
    #expect(decoded.entries.map { $0.map(\.sequence) } == index.entries.map { $0.map(\.sequence) })
  }

  @Test func `the checksum of any event is found`() throws {
    let pass = try pass()
    let lines = Sandbox.lines(try place.bytes())
    for place in stride(from: 0, to: lines.count, by: 501) {
      let event = try #require(EventID(pass.sink.ids[place]))
      let digits = String(decoding: lines[place].suffix(19).prefix(16), as: UTF8.self)
      #expect(try checksum(event, pass.ledger)?.description == digits)
    }
    #expect(try checksum(EventID("a-aaaaaaaa:3001")!, pass.ledger) == nil)
    #expect(try checksum(EventID("d-dddddddd:1")!, pass.ledger) == nil)
  }

  private func checksum(_ event: EventID, _ ledger: Ledger) throws -> LineChecksum? {
    try RangeReader.checksum(
      of: event, path: place.path, file: file, fileSystem: place.disk, ledger: ledger, size: size)
  }

  @Test func `a file that was changed meanwhile is no source`() throws {
    let pass = try pass()
    let bytes = try place.bytes()
    // Another journal in its place, in the same inode.
    try place.put(Sandbox.lines(of: "b-bbbbbbbb", count: 9_000).flatMap(\.self))
    let range = EventRange(device: DeviceID("a-aaaaaaaa")!, first: 1, last: 3_000)
    #expect(
      failure { () throws(EventLogError) in
        var reader = RangeReader(
          [range], path: place.path, file: file, fileSystem: place.disk, ledger: pass.ledger,
          size: Int64(bytes.count))
        while try reader.next() != nil {}
      }?.code == .inputOutput)
  }
}
