import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct MemorySearchTests {
  @Test func `a search returns the index of the first match, or else the count`() {
    let bytes = Array("ab\nc\n".utf8)
    #expect(indexOfByte(0x0a, in: bytes, count: bytes.count) == 2)
    #expect(indexOfByte(0x0a, in: bytes, count: 2) == 2)
    #expect(indexOfByte(0xff, in: bytes, count: bytes.count) == 5)
    #expect(indexOfByte(0x61, in: bytes, count: 0) == 0)
  }

  @Test func `bytes are compared as unsigned numbers`() {
    #expect(compareBytes([1, 2], [1, 3], count: 2) < 0)
    #expect(compareBytes([0xff], [0x7f], count: 1) > 0)
    #expect(compareBytes([1, 2], [1, 3], count: 1) == 0)
    #expect(compareBytes([], [], count: 0) == 0)
  }
}
