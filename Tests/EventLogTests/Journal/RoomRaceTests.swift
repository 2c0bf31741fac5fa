import EventLog
import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

/// Readers without the lock, while a line is written into room: they may find its end before its
/// beginning.
@Suite struct RoomRaceTests {
  @Test(arguments: [1, 40, Int.max])
  func `a line whose beginning was read too early is read again`(count: Int) throws {
    let box = try Sandbox()
    let writer = try box.prepareRoom()
    for _ in 0..<3 { try writer.append() }
    let bytes = try box.bytes()
    let lines = Sandbox.withoutRoom(bytes).split(separator: 0x0A)
    for line in lines.indices.dropFirst() {
      let start = lines[..<line].reduce(0) { $0 + $1.count + 1 }
      let range = start..<(start + min(count, lines[line].count))
      let disk = EarlyReads(of: range)
      let journal = Journal(path: box.path, catalog: .standard, fileSystem: disk)
      let report = try journal.verify()
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
    #expect(box.disk.bytesRead < Int64(5 * blank.count))
  }
}

/// The first time that a range of a file is read, there are still spaces.
private final class EarlyReads: PassingFileSystem {
  let base = SystemFileSystem()
  private let range: Range<Int>
  private let isEarly = Mutex(true)
  var wasEarly: Bool { isEarly.withLock { !$0 } }

  init(of range: Range<Int>) { self.range = range }

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let count = try base.read(file, into: buffer, at: offset)
    let places = range.clamped(to: Int(offset)..<(Int(offset) + count))
    guard !places.isEmpty, isEarly.withLock({ $0 }) else { return count }
    isEarly.withLock { $0 = false }
    for place in places { buffer[place - Int(offset)] = 0x20 }
    return count
  }
}
