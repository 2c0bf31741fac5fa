import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct CountingFileSystemTests {
  @Test func `read and written bytes are counted`() throws {
    let count = WorkCount()
    let disk = CountingFileSystem(MemoryFileSystem(), count)
    let file = try disk.open("/a", .createNew)
    try disk.writeAll(file, Array("12345".utf8), at: 0)
    #expect(count.byteCount == 5)
    disk.close(file)
    #expect(try disk.contents(ofFile: "/a", maximumBytes: 100) == Array("12345".utf8))
    #expect(count.byteCount == 10)
  }

  @Test func `verifying a journal counts its lines`() throws {
    let box = try Sandbox()
    try box.begin(40)
    let count = WorkCount()
    let journal = Journal(path: box.path, fileSystem: CountingFileSystem(box.disk, count))
    let report = try journal.verify()
    #expect(count.lineCount == Int64(report.eventCount) && report.eventCount == 41)
  }
}
