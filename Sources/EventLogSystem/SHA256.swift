import CEventLogChecksum

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
      take(rest[...])
      rest = []
    }
    let end = bytes.count - (bytes.count - index) % Self.blockCount
    take(bytes[index..<end])
    rest += bytes[end...]
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

  /// Adds whole blocks.
  private mutating func take(_ blocks: ArraySlice<UInt8>) {
    blocks.withUnsafeBufferPointer { blocks in
      guard let base = blocks.baseAddress else { return }
      let count = blocks.count / Self.blockCount
      if Self.hasHardware {
        eventlog_sha256_add_hardware(&state, base, count)
      } else {
        eventlog_sha256_add(&state, base, count)
      }
    }
  }

  private static let hasHardware = eventlog_sha256_has_hardware() != 0
}
