/// CRC-32 (ISO 3309), polynomial 0x04C11DB7 reflected, as in PNG.
struct CRC32 {
  private var state: UInt32 = ~0

  var value: UInt32 { ~state }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    return value
  }

  mutating func update(_ bytes: [UInt8]) {
    let table = Self.table
    for byte in bytes {
      state = state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
    }
  }
}
