import Testing

@testable import EventLog

@Suite struct LineChecksumTests {
  static let edges: [UInt32] = [
    0, 1, 9, 0xA, 0xF, 0x10, 0x99, 0x9A, 0xA9, 0xFF, 0x0123_4567, 0x89AB_CDEF, 0xFFFF_0000,
    0x0000_FFFF, 0x8000_0000, 0x7FFF_FFFF, .max,
  ]

  @Test func `digits are sixteen of lower case, the line first`() {
    #expect(LineChecksum(line: 0x9AE0_C1D2, chain: 0x5B1F_00AA).text == "9ae0c1d25b1f00aa")
    #expect(LineChecksum(line: 0, chain: 0).text == "0000000000000000")
    #expect(LineChecksum(line: .max, chain: 1).text == "ffffffff00000001")
  }

  @Test func `digits are read as they were written`() {
    var random = FormatRandom.generator("LineChecksum")
    let values = Self.edges + (0..<2000).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
    for value in values {
      let checksum = LineChecksum(line: value, chain: ~value)
      let digits = String(value, radix: 16)
      let padded = String(repeating: "0", count: 8 - digits.count) + digits
      #expect(checksum.text.hasPrefix(padded))
      #expect(LineChecksum(text: checksum.digits) == checksum)
      #expect(Self.readHex(Array(padded.utf8)) == value)
    }
  }

  @Test func `every byte is a digit or none, at every place`() {
    for place in 0..<16 {
      for byte in UInt8.min ... .max {
        var digits = [UInt8](repeating: 0x30, count: 16)
        digits[place] = byte
        let isDigit = "0123456789abcdef".utf8.contains(byte)
        #expect((LineChecksum(text: digits) != nil) == isDigit)
        if place < 8 { #expect((Self.readHex(digits) != nil) == isDigit) }
      }
    }
  }

  @Test(arguments: ["", "0", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF"])
  func `anything but sixteen lower-case digits is refused`(text: String) {
    #expect(LineChecksum(text: text.utf8) == nil)
  }

  @Test func `the chain covers the digits of the chain before and of the line`() {
    let covered = Array("{\"id\":\"a:1\"".utf8)
    let line = CRC32C.checksum(covered)
    let digits = Array(LineChecksum(line: line, chain: 0).digits[..<8])
    let first = CRC32C.checksum(Array("00000000".utf8) + digits)
    #expect(LineChecksum.chain(after: 0, line: line) == first)
    let firstDigits = Array(LineChecksum(line: first, chain: 0).digits[..<8])
    let second = CRC32C.checksum(firstDigits + digits)
    #expect(LineChecksum.chain(after: first, line: line) == second)
    #expect(first != second)
    let both = LineChecksum(line: line, chain: second)
    #expect(LineChecksum.of(covered: covered, after: first) == both)
  }

  private static func readHex(_ digits: [UInt8]) -> UInt32? {
    digits.withUnsafeBufferPointer { LineChecksum.readHex($0.baseAddress!) }
  }
}
