/// SHA-256, as in FIPS 180-4.
///
/// Implemented here, because no toolchain library provides it on every system. It isn't hardened
/// against timing attacks.
package struct SHA256: Sendable {
  /// The size of a block in bytes.
  package static let blockCount = 64

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  /// Bytes that don't fill a block yet.
  private var rest: [UInt8] = []
  private var byteCount: UInt64 = 0
  private var words = [UInt32](repeating: 0, count: 64)

  package init() {}

  /// The digest of `bytes`: 32 bytes.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.add(bytes)
    return hash.finish()
  }

  package mutating func add(_ bytes: [UInt8]) {
    byteCount += UInt64(bytes.count)
    var index = 0
    if !rest.isEmpty {
      index = min(Self.blockCount - rest.count, bytes.count)
      rest += bytes[..<index]
      if rest.count < Self.blockCount { return }
      take(rest, at: 0)
      rest = []
    }
    while index + Self.blockCount <= bytes.count {
      take(bytes, at: index)
      index += Self.blockCount
    }
    rest += bytes[index...]
  }

  package consuming func finish() -> [UInt8] {
    let bitCount = byteCount * 8
    let zeroCount = (Self.blockCount * 2 - 9 - rest.count) % Self.blockCount
    var end = [UInt8](repeating: 0, count: 1 + zeroCount)
    end[0] = 0x80
    for shift in 1...8 { end.append(UInt8(truncatingIfNeeded: bitCount >> (64 - 8 * shift))) }
    add(end)
    var digest: [UInt8] = []
    for word in state {
      for shift in 1...4 { digest.append(UInt8(truncatingIfNeeded: word >> (32 - 8 * shift))) }
    }
    return digest
  }

  private mutating func take(_ bytes: [UInt8], at start: Int) {
    for index in 0..<16 {
      let byte = start + 4 * index
      words[index] =
        UInt32(bytes[byte]) << 24 | UInt32(bytes[byte + 1]) << 16
        | UInt32(bytes[byte + 2]) << 8 | UInt32(bytes[byte + 3])
    }
    for index in 16..<64 {
      let (two, fifteen) = (words[index - 2], words[index - 15])
      let one = Self.turn(two, 17) ^ Self.turn(two, 19) ^ (two >> 10)
      let zero = Self.turn(fifteen, 7) ^ Self.turn(fifteen, 18) ^ (fifteen >> 3)
      words[index] = one &+ words[index - 7] &+ zero &+ words[index - 16]
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    let constants = Self.constants
    for index in 0..<64 {
      let one = Self.turn(e, 6) ^ Self.turn(e, 11) ^ Self.turn(e, 25)
      let first = h &+ one &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ words[index]
      let zero = Self.turn(a, 2) ^ Self.turn(a, 13) ^ Self.turn(a, 22)
      let second = zero &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    let sums = [a, b, c, d, e, f, g, h]
    for index in 0..<8 { state[index] &+= sums[index] }
  }

  @inline(__always)
  private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
