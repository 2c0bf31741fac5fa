import EventLog
import EventLogTesting
import Testing

@Suite struct TemporaryFolderTests {
  let disk = SystemFileSystem()

  @Test func `the folder and its contents are removed with its last reference`() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder).path
    try disk.makeFolder(path + "/inner")
    try disk.replaceFile(at: path + "/inner/a", with: [1])
    try disk.replaceFile(at: path + "/b", with: [1])
    #expect(folder?.file("b") == path + "/b")
    folder = nil
    #expect(throws: Errno.noSuchFile) { try disk.status(at: path) }
  }

  @Test func `two temporary folders are distinct and empty`() throws {
    let first = try TemporaryFolder()
    let second = try TemporaryFolder()
    #expect(first.path != second.path)
    #expect(try disk.contents(of: first.path) == [])
  }
}
