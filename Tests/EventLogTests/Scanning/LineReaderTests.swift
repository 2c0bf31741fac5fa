import EventLogTesting
import Testing

@testable import EventLog

@Suite struct LineReaderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Reads `bytes` as a file, up to `end`, starting at `offset` as line `number`.
  private func read(
    _ bytes: [UInt8], from offset: Int64 = 0, number: Int = 1, upTo end: Int64? = nil
  ) throws -> (lines: ScannedLines, resumeOffset: Int64, resumeNumber: Int, slowLines: Int) {
    let disk = SystemFileSystem()
    let file = try disk.open(folder.file("x\(bytes.count).jsonl"), .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
    var sink = ScannedLines()
    var scanner = LineScanner()
    var reader = LineReader(from: offset, lineNumber: number)
    try reader.readLines(of: file, in: disk, upTo: end, scanner: &scanner, into: &sink)
    return (sink, reader.resumeOffset, reader.resumeNumber, scanner.slowLineCount)
  }

  private static func line(_ sequence: Int, filler: Int = 0) -> [UInt8] {
    let text = String(repeating: "x", count: filler)
    return sealed(
      #"{"id":"a:\#(sequence)","at":"2026-01-28T09:12:33.123Z","type":"a.b""#
        + #","data":{"x":"\#(text)"}"#)
  }

  @Test func `line numbers count blank lines, and positions are in bytes`() throws {
    let (one, two) = (Self.line(1), Self.line(2))
    let bytes = [0x0A] + one + [0x0D, 0x0A] + Array(" \t\r\n".utf8) + two + [0x0A]
    let read = try read(bytes)
    #expect(read.lines.lines.map { $0.event?.id.sequence } == [1, 2])
    #expect(read.lines.positions.map(\.number) == [2, 4])
    #expect(read.lines.positions.map(\.offset) == [1, Int64(one.count + 7)])
    #expect(read.lines.positions.map(\.byteCount) == [one.count, two.count])
    #expect(read.lines.positions.map(\.endOffset) == [Int64(one.count + 3), Int64(bytes.count)])
    #expect(read.lines.positions.map(\.isTerminated) == [true, true])
    #expect(read.resumeOffset == Int64(bytes.count))
    #expect(read.resumeNumber == 5)
    #expect(read.slowLines == 0)
  }

  @Test func `a last line without LF is returned, and read again later`() throws {
    let one = Self.line(1)
    let bytes = one + [0x0A] + Self.line(2) + [0x20, 0x20]
    let read = try read(bytes)
    #expect(read.lines.lines.map { $0.event?.id.sequence } == [1, 2])
    #expect(read.lines.positions.map(\.isTerminated) == [true, false])
    #expect(read.resumeOffset == Int64(one.count + 1))
    #expect(read.resumeNumber == 2)
  }

  @Test func `spaces after the last line aren't a line`() throws {
    let one = Self.line(1)
    let read = try read(one + [0x0A] + [UInt8](repeating: 0x20, count: 5000))
    #expect(read.lines.lines.count == 1)
    #expect(read.resumeOffset == Int64(one.count + 1))
  }

  @Test func `a resumed reading returns the remaining lines`() throws {
    let lines = (1...20).map { Self.line($0, filler: $0 * 7) }
    let bytes = Array(lines.joined(separator: [0x0A])) + [0x0A]
    let whole = try read(bytes)
    var offset: Int64 = 0
    for count in lines.indices {
      let part = try read(bytes, from: offset, number: count + 1)
      #expect(part.lines.lines == Array(whole.lines.lines[count...]))
      #expect(part.lines.positions == Array(whole.lines.positions[count...]))
      offset += Int64(lines[count].count + 1)
    }
  }

  @Test func `bytes after the given end aren't read`() throws {
    let (one, two) = (Self.line(1), Self.line(2))
    let bytes = one + [0x0A] + two + [0x0A]
    let first = try read(bytes, upTo: Int64(one.count + 1))
    #expect(first.lines.lines.count == 1)
    let cut = try read(bytes, upTo: Int64(one.count + 10))
    #expect(cut.lines.lines.map { $0.fault?.code } == [nil, .truncated])
    #expect(cut.lines.positions.last?.isTerminated == false)
  }

  /// Lines of many lengths, so that chunks end at many positions in a line.
  @Test func `lines that cross chunk boundaries are read whole`() throws {
    var random = FormatRandom.generator("LineReader")
    var bytes: [UInt8] = []
    var offsets: [Int64] = []
    var sequence = 0
    while bytes.count < 1_500_000 {
      sequence += 1
      offsets.append(Int64(bytes.count))
      let exponent = Int.random(in: 0...17, using: &random)
      bytes += Self.line(sequence, filler: Int.random(in: 0...(1 << exponent), using: &random))
      bytes += Bool.random(using: &random) ? [0x0A] : [0x0D, 0x0A]
    }
    let read = try read(bytes)
    #expect(read.lines.positions.map(\.offset) == offsets)
    #expect(read.lines.lines.map { $0.event?.id.sequence } == (1...Int64(sequence)).map { $0 })
    #expect(read.slowLines == 0)
  }
}
