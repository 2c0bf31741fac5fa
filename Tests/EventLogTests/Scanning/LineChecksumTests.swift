import Testing

@testable import EventLog

@Suite struct LineChecksumTests {
  static let edges: [UInt32] = [
    0, 1, 9, 0xA, 0xF, 0x10, 0x99, 0x9A, 0xA9, 0xFF, 0x0123_4567, 0x89AB_CDEF, 0xFFFF_0000,
    0x0000_FFFF, 0x8000_0000, 0x7FFF_FFFF, .max,
  ]

  @Test func `a checksum is sixteen lower-case digits, with the previous chain first`() {
    #expect(LineChecksum(before: 0x9AE0_C1D2, chain: 0x5B1F_00AA).description == "9ae0c1d25b1f00aa")
    #expect(LineChecksum(before: 0, chain: 0).description == "0000000000000000")
    #expect(LineChecksum(before: .max, chain: 1).description == "ffffffff00000001")
  }

  @Test func `written digits round-trip`() {
    var random = FormatRandom.generator("LineChecksum")
    let values = Self.edges + (0..<2000).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
    for value in values {
      let checksum = LineChecksum(before: value, chain: ~value)
      let digits = String(value, radix: 16)
      let padded = String(repeating: "0", count: 8 - digits.count) + digits
      #expect(checksum.description.hasPrefix(padded))
      #expect(LineChecksum(text: checksum.digits) == checksum)
      #expect(ChainDigits.value(padded.utf8) == value)
    }
  }

  @Test func `at every position, exactly the lower-case hexadecimal digits are accepted`() {
    for index in 0..<16 {
      for byte in UInt8.min ... .max {
        var digits = [UInt8](repeating: 0x30, count: 16)
        digits[index] = byte
        let isDigit = "0123456789abcdef".utf8.contains(byte)
        #expect((LineChecksum(text: digits) != nil) == isDigit)
        if index < 8 { #expect((ChainDigits.value(digits[..<8]) != nil) == isDigit) }
      }
    }
  }

  @Test(arguments: ["", "0", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF"])
  func `any text other than sixteen lower-case digits is refused`(text: String) {
    #expect(LineChecksum(text: text.utf8) == nil)
  }

  @Test func `a chain covers the line and the digits of the previous chain`() {
    let covered = Array("{\"id\":\"a:1\"".utf8)
    let first = CRC32C.checksum(covered + Array("00000000".utf8))
    #expect(LineChecksum.of(covered: covered, after: 0) == LineChecksum(before: 0, chain: first))
    let second = CRC32C.checksum(covered + ChainDigits.spelled(first))
    #expect(
      LineChecksum.of(covered: covered, after: first) == LineChecksum(before: first, chain: second))
    #expect(first != second)
  }

  @Test func `checksums are ordered like their digits`() {
    let checksums = Self.edges.flatMap { before in
      Self.edges.map { LineChecksum(before: before, chain: $0) }
    }
    #expect(checksums.sorted().map(\.description) == checksums.map(\.description).sorted())
  }
}
