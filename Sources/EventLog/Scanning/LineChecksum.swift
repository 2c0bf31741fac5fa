/// The two checksums that end a line: its predecessor's chain, and its own.
///
/// The chain covers the line's own bytes and, through the previous chain, its device's whole
/// history. So each line can be verified alone, and identifies the event that it continues.
package struct LineChecksum: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The chain of the previous event of the history, or 0 for the first event.
  package var before: UInt32
  /// CRC-32C of the covered bytes (all before the line's last 26) followed by the digits of
  /// ``before``.
  package var chain: UInt32

  package init(before: UInt32, chain: UInt32) {
    self.before = before
    self.chain = chain
  }

  /// The checksums of an event whose covered bytes are `covered`.
  package static func of(covered: [UInt8], after before: UInt32) -> LineChecksum {
    of(lastOf: covered, from: 0, after: before)
  }

  /// The 16 lower-case hex digits `<chain before><chain>`.
  package var digits: [UInt8] { ChainDigits.spelled(before) + ChainDigits.spelled(chain) }

  /// Orders like the 16 digits.
  package static func < (left: LineChecksum, right: LineChecksum) -> Bool {
    (left.before, left.chain) < (right.before, right.chain)
  }

  /// The 16 digits of the member `crc`.
  package var description: String { String(decoding: digits, as: UTF8.self) }

  /// Parses 16 lower-case hex digits; nil if `text` is anything else.
  package init?(text: some Sequence<UInt8>) {
    let digits = Array(text)
    guard digits.count == 16, let before = ChainDigits.value(digits[..<8]),
      let chain = ChainDigits.value(digits[8...])
    else { return nil }
    self.init(before: before, chain: chain)
  }
}

/// Chains as eight lower-case hex digits.
package enum ChainDigits {
  package static func spelled(_ chain: UInt32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 8) { buffer, count in
      write(chain, into: buffer.baseAddress!)
      count = 8
    }
  }

  package static func text(_ chain: UInt32) -> String {
    String(decoding: spelled(chain), as: UTF8.self)
  }

  /// Nil for anything but eight lower-case hex digits.
  package static func value(_ digits: some Sequence<UInt8>) -> UInt32? {
    let digits = Array(digits)
    guard digits.count == 8 else { return nil }
    return digits.withUnsafeBufferPointer { read($0.baseAddress!) }
  }

  /// Spreads the eight nibbles over eight bytes and converts them to digits at once.
  @inline(__always)
  static func write(_ value: UInt32, into target: UnsafeMutablePointer<UInt8>) {
    // Put the high half in the low bytes, so that a little-endian store writes the first digit
    // first.
    var spread = (UInt64(value & 0xFFFF) << 32) | UInt64(value >> 16)
    spread = ((spread & 0x0000_00FF_0000_00FF) << 16) | ((spread & 0x0000_FF00_0000_FF00) >> 8)
    spread = ((spread & 0x000F_000F_000F_000F) << 8) | ((spread & 0x00F0_00F0_00F0_00F0) >> 4)
    UnsafeMutableRawPointer(target).storeBytes(
      of: digits(ofNibbles: spread).littleEndian, as: UInt64.self)
  }

  /// The value of one lower-case hex digit, or −1.
  @inline(__always)
  static func digit(_ byte: UInt8) -> Int {
    if byte >= 0x30, byte <= 0x39 { return Int(byte) - 0x30 }
    if byte >= 0x61, byte <= 0x66 { return Int(byte) - 0x57 }
    return -1
  }

  /// Parses eight lower-case hex digits at `base`; nil if any isn't one.
  ///
  /// All eight are converted to nibbles at once, and back to digits for validation.
  @inline(__always)
  static func read(_ base: UnsafePointer<UInt8>) -> UInt32? {
    let digits = UnsafeRawPointer(base).loadUnaligned(as: UInt64.self).littleEndian
    // Letters have the bit 0x40, and their low nibble is their value minus 9.
    let letters = (digits >> 6) & 0x0101_0101_0101_0101
    var spread = ((digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9) & 0x0F0F_0F0F_0F0F_0F0F
    guard self.digits(ofNibbles: spread) == digits else { return nil }
    // The first digit is in the lowest byte, but is the highest nibble.
    spread = ((spread << 4) | (spread >> 8)) & 0x00FF_00FF_00FF_00FF
    spread = ((spread << 8) | (spread >> 16)) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: (spread << 16) | (spread >> 32))
  }

  /// The lower-case hex digits of eight nibbles, one per byte.
  @inline(__always)
  private static func digits(ofNibbles spread: UInt64) -> UInt64 {
    let over9 = ((spread &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ over9 &* 0x27
  }
}
