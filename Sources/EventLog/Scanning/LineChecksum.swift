/// The two checksums that end a line: of its own bytes, and of its device's history up to it.
public struct LineChecksum: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// CRC-32C of the covered bytes: everything before the line's last 26 bytes.
  public var line: UInt32
  /// CRC-32C over the previous event's chain digits and this event's line digits.
  public var chain: UInt32

  package init(line: UInt32, chain: UInt32) {
    self.line = line
    self.chain = chain
  }

  /// The chain value that follows `previous` when the next line's checksum is `line`.
  @inline(__always)
  package static func chain(after previous: UInt32, line: UInt32) -> UInt32 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      writeHex(previous, into: digits.baseAddress!)
      writeHex(line, into: digits.baseAddress! + 8)
      return CRC32C.checksum(
        UnsafePointer(digits.baseAddress!), count: 16, hardware: CRC32C.hasHardware)
    }
  }

  /// Whether an event with these checksums can be its device's next after one with `previous`.
  @inline(__always)
  package func continues(_ previous: LineChecksum) -> Bool {
    Self.chain(after: previous.chain, line: line) == chain
  }

  /// The checksums of an event whose covered bytes are `covered`.
  package static func of(covered: [UInt8], after previousChain: UInt32) -> LineChecksum {
    let line = CRC32C.checksum(covered)
    return LineChecksum(line: line, chain: chain(after: previousChain, line: line))
  }

  /// The 16 lower-case hex digits `<line><chain>`.
  package var digits: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      Self.writeHex(line, into: buffer.baseAddress!)
      Self.writeHex(chain, into: buffer.baseAddress! + 8)
      count = 16
    }
  }

  /// Orders as the 16 digits do.
  public static func < (left: LineChecksum, right: LineChecksum) -> Bool {
    (left.line, left.chain) < (right.line, right.chain)
  }

  /// The 16 digits as the member `crc` has them.
  public var description: String { String(decoding: digits, as: UTF8.self) }

  package var text: String { description }

  /// Reads 16 lower-case hex digits; nil if `text` is anything else.
  public init?(_ text: String) { self.init(text: text.utf8) }

  /// Reads 16 lower-case hex digits; nil if `text` is anything else.
  package init?(text: some Sequence<UInt8>) {
    var value: UInt64 = 0
    var count = 0
    for byte in text {
      let digit = Self.hexDigit(byte)
      guard digit >= 0, count < 16 else { return nil }
      value = value << 4 | UInt64(digit)
      count += 1
    }
    guard count == 16 else { return nil }
    line = UInt32(truncatingIfNeeded: value >> 32)
    chain = UInt32(truncatingIfNeeded: value)
  }

  /// Spreads the eight nibbles over eight bytes and turns all of them into digits at once.
  @inline(__always)
  static func writeHex(_ value: UInt32, into target: UnsafeMutablePointer<UInt8>) {
    // High half in the low bytes, so that a little-endian store writes the first digit first.
    var spread = (UInt64(value & 0xFFFF) << 32) | UInt64(value >> 16)
    spread = ((spread & 0x0000_00FF_0000_00FF) << 16) | ((spread & 0x0000_FF00_0000_FF00) >> 8)
    spread = ((spread & 0x000F_000F_000F_000F) << 8) | ((spread & 0x00F0_00F0_00F0_00F0) >> 4)
    let over9 = ((spread &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    let digits = spread &+ 0x3030_3030_3030_3030 &+ over9 &* 0x27
    UnsafeMutableRawPointer(target).storeBytes(of: digits.littleEndian, as: UInt64.self)
  }

  /// The value of one lower-case hex digit, or −1.
  @inline(__always)
  static func hexDigit(_ byte: UInt8) -> Int {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x61...0x66: Int(byte) - 0x57
    default: -1
    }
  }

  /// Reads eight lower-case hex digits at `base`; nil if one is not.
  @inline(__always)
  static func readHex(_ base: UnsafePointer<UInt8>) -> UInt32? {
    var value: UInt32 = 0
    var bad = 0
    for index in 0..<8 {
      let digit = hexDigit(base[index])
      bad |= digit
      value = value << 4 | UInt32(truncatingIfNeeded: digit & 0xF)
    }
    return bad < 0 ? nil : value
  }
}
