import EventLog

/// Texts to look for in files, in the spellings in which files contain them.
struct SearchedTexts: Sendable {
  private struct Spelling {
    /// The number of the text, from 1 on.
    let text: Int
    let bytes: [UInt8]
  }

  private let spellings: [Spelling]

  init(_ texts: [String]) {
    spellings = texts.enumerated().flatMap { index, text in
      Self.spellings(of: text).map { Spelling(text: index + 1, bytes: $0) }
    }
  }

  /// The spellings of a text: UTF-8, escaped as in JSON, UTF-16 and Base64.
  private static func spellings(of text: String) -> Set<[UInt8]> {
    if text.isEmpty { return [] }
    let utf8 = Array(text.utf8)
    let units = Array(text.utf16)
    var spellings: Set<[UInt8]> = [utf8, Erasures.Statement.spelled(text)]
    spellings.insert(units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    spellings.insert(units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
    for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
      let digits = Array(digits.utf8)
      spellings.insert(
        units.flatMap { unit -> [UInt8] in
          if let scalar = Unicode.Scalar(unit), scalar.isASCII {
            return Erasures.Statement.spelled(String(scalar))
          }
          return Array("\\u".utf8) + [12, 8, 4, 0].map { digits[Int(unit >> $0) & 15] }
        })
    }
    for offset in 0..<3 {
      if let part = base64(utf8, after: offset) { spellings.insert(part) }
    }
    return spellings
  }

  /// The characters of Base64 that depend only on these bytes, if `offset` others come before them.
  private static func base64(_ bytes: [UInt8], after offset: Int) -> [UInt8]? {
    let encoded = (Array(repeating: 0, count: offset) + bytes).base64
    // A character has 6 bits, so the first ones mix these bytes with those before them.
    let first = (offset * 8 + 5) / 6
    let last = (offset + bytes.count) * 8 / 6
    return last - first >= 8 ? Array(encoded[first..<last]) : nil
  }

  var isEmpty: Bool { spellings.isEmpty }

  /// The numbers of the texts in some bytes.
  func found(in bytes: [UInt8]) -> [Int] {
    if spellings.isEmpty { return [] }
    return Set(spellings.filter { bytes.containsBytes(of: $0.bytes) }.map(\.text)).sorted()
  }
}

extension [UInt8] {
  /// The Base64 of the bytes, without padding (RFC 4648, section 4).
  fileprivate var base64: [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var encoded: [UInt8] = []
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in self {
      (bits, bitCount) = (bits << 8 | UInt32(byte), bitCount + 8)
      while bitCount >= 6 {
        bitCount -= 6
        encoded.append(digits[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    return encoded
  }
}
