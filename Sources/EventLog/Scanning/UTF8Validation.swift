/// Finds the first byte that is not part of valid UTF-8 (Unicode 16, table 3-7).
///
/// Implemented here, because the standard library reports a position only since the 2025 systems.
enum UTF8Validation {
  /// Whether every byte is below 0x80.
  @inline(__always)
  static func isASCII(_ base: UnsafePointer<UInt8>, count: Int) -> Bool {
    // Words, not SIMD: unaligned vector loads go through generic code.
    let raw = UnsafeRawPointer(base)
    var bits: UInt64 = 0
    var index = 0
    while index &+ 32 <= count {
      bits |=
        raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        | raw.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self)
        | raw.loadUnaligned(fromByteOffset: index &+ 16, as: UInt64.self)
        | raw.loadUnaligned(fromByteOffset: index &+ 24, as: UInt64.self)
      index &+= 32
    }
    while index < count {
      bits |= UInt64(base[index])
      index &+= 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// The offset of the first byte of the first ill-formed sequence, or nil if all is valid.
  static func firstFault(_ base: UnsafePointer<UInt8>, count: Int) -> Int? {
    var index = 0
    while index < count {
      if index &+ 8 <= count {
        let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          index &+= 8
          continue
        }
      }
      let length = sequenceLength(base + index, available: count &- index)
      if length == 0 { return index }
      index &+= length
    }
    return nil
  }

  /// The length of the well-formed sequence at `base`, or 0.
  @inline(__always)
  private static func sequenceLength(_ base: UnsafePointer<UInt8>, available: Int) -> Int {
    let lead = base[0]
    if lead < 0x80 { return 1 }
    if lead < 0xC2 || lead > 0xF4 { return 0 }
    if lead < 0xE0 { return available >= 2 && base[1] & 0xC0 == 0x80 ? 2 : 0 }
    if lead < 0xF0 {
      guard available >= 3, base[1] & 0xC0 == 0x80, base[2] & 0xC0 == 0x80 else { return 0 }
      if lead == 0xE0 && base[1] < 0xA0 { return 0 }
      if lead == 0xED && base[1] > 0x9F { return 0 }
      return 3
    }
    guard available >= 4, base[1] & 0xC0 == 0x80, base[2] & 0xC0 == 0x80, base[3] & 0xC0 == 0x80
    else { return 0 }
    if lead == 0xF0 && base[1] < 0x90 { return 0 }
    if lead == 0xF4 && base[1] > 0x8F { return 0 }
    return 4
  }
}
