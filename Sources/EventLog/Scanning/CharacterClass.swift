/// A set of ASCII bytes, one bit each.
struct CharacterClass: Sendable {
  private let low: UInt64
  private let high: UInt64

  init(_ characters: StaticString) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    characters.withUTF8Buffer { buffer in
      for byte in buffer {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
      }
    }
    self.low = low
    self.high = high
  }

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let bits = byte < 64 ? low : high
    return byte < 128 && (bits >> UInt64(byte & 63)) & 1 == 1
  }

  // Spelled as bits so that the compiler folds them; the tests compare each with its characters.

  /// `A–Z a–z 0–9 . _ -`
  static var device: CharacterClass {
    CharacterClass(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE)
  }
  /// `a–z 0–9 . _ -`
  static var type: CharacterClass {
    CharacterClass(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_8000_0000)
  }
  /// `a–z 0–9 -`
  static var kind: CharacterClass {
    CharacterClass(low: 0x03FF_2000_0000_0000, high: 0x07FF_FFFE_0000_0000)
  }
  /// `A–Z a–z 0–9 . _ ~ -`
  static var key: CharacterClass {
    CharacterClass(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }
}
