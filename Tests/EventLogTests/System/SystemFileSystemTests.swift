import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct SystemFileSystemTests {
  let disk = SystemFileSystem()

  @Test func `a device is neither a file nor a folder`() throws {
    #expect(try disk.status(at: "/dev/null").kind == .other)
  }

  // MARK: - Machine identity

  @Test func `the machine identity is stable`() {
    let identity = disk.machineIdentity()
    #expect(identity == disk.machineIdentity())
    #expect(identity.map { !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 } } ?? true)
  }

  @Test(arguments: [
    ("abc\n", "def", "abc"), (" abc \n", nil, "abc"), ("", "def\n", "def"),
    ("uninitialized\n", "def", "def"), (nil, nil, nil),
  ])
  func `the machine identity comes from the first file that has one`(
    first: String?, second: String?, expected: String?
  ) {
    #if os(Linux)
      let found = systemMachineIdentity { path in
        (path == "/etc/machine-id" ? first : second).map { Array($0.utf8) }
      }
      #expect(found == expected)
    #endif
  }

  @Test func `excluding a folder from backups succeeds`() throws {
    let folder = try TemporaryFolder()
    try disk.excludeFromBackup(folder.path)
  }
}
