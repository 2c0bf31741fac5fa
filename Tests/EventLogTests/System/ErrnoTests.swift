import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct ErrnoTests {
  @Test func `an error describes itself in the system's words`() {
    #expect(Errno.noSpace.description == "No space left on device")
    #expect(Errno.noSuchFile.description == "No such file or directory")
    #expect(!Errno(rawValue: 98_765).description.isEmpty)
  }

  @Test func `a failed call throws its error number`() {
    #expect(throws: Errno.noSuchFile) { try systemStatus(at: "/nowhere/at/all") }
    #expect(throws: Errno.badDescriptor) { try systemStatus(of: -1) }
  }
}
