import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Readers that don't hold the lock while a line is written into the preallocation.
///
/// They may see the end of the line before its beginning.
@Suite struct PreallocationRaceTests {
  @Test(arguments: [1, 40, Int.max])
  func `a line whose beginning was read too early is reread`(count: Int) throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    for _ in 0..<3 { try writer.append() }
    let bytes = try box.bytes()
    let lines = Sandbox.withoutPreallocation(bytes).split(separator: 0x0A)
    for line in lines.indices.dropFirst() {
      let start = lines[..<line].reduce(0) { $0 + $1.count + 1 }
      let range = start..<(start + min(count, lines[line].count))
      let disk = EarlyReads(of: [[range]])
      let journal = Journal(path: box.path, catalog: .standard, fileSystem: disk)
      let report = try journal.verify()
      #expect(report.problems.isEmpty && report.eventCount == lines.count, "line \(line + 1)")
      #expect(disk.wasEarly)
    }
  }

  @Test func `a line is reread if it is written while another line is reread`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    for _ in 0..<3 { try writer.append() }
    let lines = Sandbox.withoutPreallocation(try box.bytes()).split(separator: 0x0A)
    let ends = lines.indices.map { lines[...$0].reduce(0) { $0 + $1.count + 1 } }
    for line in 1..<(lines.count - 1) {
      let (start, middle, end) = (ends[line - 1], ends[line], ends[line + 1])
      // First, the beginning of the line and all of the next line are missing; then only the
      // beginning of the next.
      let disk = EarlyReads(of: [[start..<(start + 9), middle..<end], [middle..<(middle + 9)]])
      let report = try Journal(path: box.path, catalog: .standard, fileSystem: disk).verify()
      #expect(report.problems.isEmpty && report.eventCount == lines.count, "line \(line + 1)")
      #expect(disk.wasEarly)
    }
  }

  @Test func `lines of spaces are read at most twice`() throws {
    let box = try Sandbox()
    try box.begin()
    let content = try box.bytes()
    let blank = Array(repeating: [0x20, 0x20, 0x0A] as [UInt8], count: 100_000).flatMap(\.self)
    try box.put(content + blank + content)
    box.disk.resetCounts()
    let journal = Journal(path: box.path, catalog: .standard, fileSystem: box.disk)
    let report = try journal.verify()
    #expect(report.problems.isEmpty && report.noteCounts[.repeatedLine] == report.eventCount)
    #expect(box.disk.bytesRead < Int64(3 * blank.count))
  }
}

/// A file system whose first reads of some ranges still return spaces.
private final class EarlyReads: PassingFileSystem {
  let base = SystemFileSystem()
  /// The ranges that are missing in each overlapping read, in order.
  private let ranges: Mutex<[[Range<Int>]]>
  var wasEarly: Bool { ranges.withLock(\.isEmpty) }

  init(of ranges: [[Range<Int>]]) { self.ranges = Mutex(ranges) }

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let count = try base.read(file, into: buffer, at: offset)
    let all = Int(offset)..<(Int(offset) + count)
    ranges.withLock { ranges in
      guard let missing = ranges.first, missing.contains(where: { $0.overlaps(all) }) else {
        return
      }
      ranges.removeFirst()
      for byte in missing.flatMap({ $0.clamped(to: all) }) {
        buffer[byte - Int(offset)] = 0x20
      }
    }
    return count
  }
}
