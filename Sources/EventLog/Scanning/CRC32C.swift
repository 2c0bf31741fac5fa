import CEventLogChecksum

/// CRC-32C (Castagnoli), polynomial 0x1EDC6F41 reflected, as in RFC 3720 appendix B.4.
///
/// It detects damage, not forgery.
package enum CRC32C {
  /// Whether the processor has a CRC-32C instruction.
  static let hasHardware = eventlog_crc32c_has_hardware() != 0

  /// The checksum of `count` bytes at `base`.
  ///
  /// - Complexity: O(`count`), about 8 GB/s by the instruction and 1.5 GB/s by the table.
  @inline(__always)
  static func checksum(_ base: UnsafePointer<UInt8>, count: Int, hardware: Bool) -> UInt32 {
    if hardware { return ~eventlog_crc32c_hardware(~0, base, count) }
    return ~table.update(~0, base, count: count)
  }

  /// The checksum of `count` bytes at `base` followed by `tailCount` bytes at `tail`.
  @inline(__always)
  static func checksum(
    _ base: UnsafePointer<UInt8>, count: Int, then tail: UnsafePointer<UInt8>, tailCount: Int,
    hardware: Bool
  ) -> UInt32 {
    if hardware {
      return ~eventlog_crc32c_hardware(
        eventlog_crc32c_hardware(~0, base, count), tail, tailCount)
    }
    return ~table.update(table.update(~0, base, count: count), tail, count: tailCount)
  }

  /// The checksum of `bytes`, continued from `before`, the checksum of the bytes before them.
  package static func checksum(_ bytes: [UInt8], after before: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return before }
      return hasHardware
        ? ~eventlog_crc32c_hardware(~before, base, buffer.count)
        : ~table.update(~before, base, count: buffer.count)
    }
  }

  static let table = CRC32CTable()
}

/// Eight tables of 256 entries: one step processes eight bytes ("slicing by 8").
struct CRC32CTable: Sendable {
  private let entries: [UInt32]

  init() {
    var entries = [UInt32](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = (value >> 1) ^ (value & 1 == 1 ? 0x82F6_3B78 : 0) }
      entries[index] = value
    }
    for slice in 1..<8 {
      for index in 0..<256 {
        let before = entries[(slice - 1) * 256 + index]
        entries[slice * 256 + index] = (before >> 8) ^ entries[Int(before & 0xFF)]
      }
    }
    self.entries = entries
  }

  func update(_ state: UInt32, _ base: UnsafePointer<UInt8>, count: Int) -> UInt32 {
    entries.withUnsafeBufferPointer { table in
      var crc = state
      var index = 0
      while index &+ 8 <= count {
        let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
        let low = UInt32(truncatingIfNeeded: word) ^ crc
        let high = UInt32(truncatingIfNeeded: word >> 32)
        crc =
          table[7 * 256 + Int(low & 0xFF)] ^ table[6 * 256 + Int((low >> 8) & 0xFF)]
          ^ table[5 * 256 + Int((low >> 16) & 0xFF)] ^ table[4 * 256 + Int(low >> 24)]
          ^ table[3 * 256 + Int(high & 0xFF)] ^ table[2 * 256 + Int((high >> 8) & 0xFF)]
          ^ table[256 + Int((high >> 16) & 0xFF)] ^ table[Int(high >> 24)]
        index &+= 8
      }
      while index < count {
        crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ base[index])]
        index &+= 1
      }
      return crc
    }
  }
}
