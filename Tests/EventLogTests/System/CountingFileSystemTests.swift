import EventLog
import EventLogTesting
import Testing

@testable import EventLogPipe

@Suite struct CountingFileSystemTests {
  @Test func `bytes that were read and written are counted`() throws {
    let count = WorkCount()
    let disk = CountingFileSystem(MemoryFileSystem(), count)
    let file = try disk.open("/a", .createNew)
    try disk.writeAll(file, Array("12345".utf8), at: 0)
    #expect(count.byteCount == 5)
    disk.close(file)
    #expect(try disk.contents(ofFile: "/a", maximumBytes: 100) == Array("12345".utf8))
    #expect(count.byteCount == 10)
  }
}
