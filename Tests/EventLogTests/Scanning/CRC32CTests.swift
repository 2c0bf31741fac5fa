import Testing

@testable import EventLog

@Suite struct CRC32CTests {
  /// The vectors of RFC 3720, appendix B.4, and the check value of the CRC catalogs.
  static let vectors: [(bytes: [UInt8], checksum: UInt32)] = [
    ([], 0),
    (Array("123456789".utf8), 0xE306_9283),
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0..<32), 0x46DD_794E),
    (Array((0..<32).reversed()), 0x113F_DB5C),
    (
      [
        0x01, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00,
        0x00, 0x18, 0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00,
      ], 0xD996_3A56
    ),
  ]

  @Test(arguments: vectors.indices)
  func `the checksum of every published vector is the published one`(index: Int) {
    let vector = Self.vectors[index]
    #expect(CRC32C.checksum(vector.bytes) == vector.checksum)
    #expect(Self.checksum(vector.bytes[...], hardware: false) == vector.checksum)
  }

  @Test(.enabled(if: CRC32C.hasHardware))
  func `the instruction and the table agree at every length and alignment`() {
    var random = FormatRandom.generator("CRC32C")
    let bytes = (0..<700).map { _ in UInt8.random(in: 0...255, using: &random) }
    for count in 0...600 {
      // Both process eight bytes per step from any start, so eight starts cover all alignments.
      for start in 0..<8 {
        let slice = bytes[start..<(start + count)]
        let pair = (Self.checksum(slice, hardware: true), Self.checksum(slice, hardware: false))
        if pair.0 != pair.1 { Issue.record("length \(count) from \(start): \(pair)") }
      }
    }
  }

  @Test func `the table agrees with the bit-by-bit definition`() {
    var random = FormatRandom.generator("CRC32C")
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      var expected: UInt32 = ~0
      for byte in bytes {
        expected ^= UInt32(byte)
        for _ in 0..<8 { expected = (expected >> 1) ^ (expected & 1 == 1 ? 0x82F6_3B78 : 0) }
      }
      #expect(Self.checksum(bytes[...], hardware: false) == ~expected)
    }
  }

  @Test func `every single flipped bit changes the checksum`() {
    let bytes = Array("One line of a journal.".utf8)
    let before = CRC32C.checksum(bytes)
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(CRC32C.checksum(flipped) != before)
    }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, hardware: Bool) -> UInt32 {
    bytes.withUnsafeBufferPointer { buffer in
      // An empty slice may have no address; no byte is read from this one.
      withUnsafePointer(to: UInt8(0)) { none in
        CRC32C.checksum(buffer.baseAddress ?? none, count: buffer.count, hardware: hardware)
      }
    }
  }
}
