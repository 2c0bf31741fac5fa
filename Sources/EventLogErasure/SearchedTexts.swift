import EventLog

/// Texts to look for in files, in the spellings in which files contain them.
struct SearchedTexts: Sendable {
  struct Spelling: Hashable {
    /// The number of the text, from 1 on.
    let text: Int
    let bytes: [UInt8]
  }

  /// UTF-8, UTF-16, and escaped as in JSON.
  let plain: [Spelling]
  let base64: [Spelling]

  init(_ texts: [String]) {
    func spellings(_ of: (String) -> Set<[UInt8]>) -> [Spelling] {
      texts.enumerated().flatMap { index, text in
        text.isEmpty
          ? []
          : Set(text.normalizations.flatMap(of)).map { Spelling(text: index + 1, bytes: $0) }
      }
    }
    plain = spellings(Self.plain)
    base64 = spellings { text in
      Set(Self.offsets.compactMap { Self.base64(Array(text.utf8), after: $0) })
    }
  }

  /// The numbers of bytes before a text in its first group of Base64.
  private static let offsets = 0..<3

  /// Whether Base64 can contain a text at an offset at which it isn't looked for.
  static func mayMissInBase64(_ text: String) -> Bool {
    text.normalizations.contains { spelling in
      offsets.contains { base64(Array(spelling.utf8), after: $0) == nil }
    }
  }

  var isEmpty: Bool { plain.isEmpty }

  private static func plain(_ text: String) -> Set<[UInt8]> {
    let units = Array(text.utf16)
    var escaped: Set<[UInt8]> = [Erasures.Statement.spelled(text)]
    for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
      let digits = Array(digits.utf8)
      escaped.insert(
        units.flatMap { unit -> [UInt8] in
          if let scalar = Unicode.Scalar(unit), scalar.isASCII {
            return Erasures.Statement.spelled(String(scalar))
          }
          return Array("\\u".utf8) + [12, 8, 4, 0].map { digits[Int(unit >> $0) & 15] }
        })
    }
    // Some writers of JSON escape slashes, too.
    let slash = UInt8(ascii: "/")
    escaped.formUnion(
      escaped.map { $0.flatMap { $0 == slash ? [UInt8(ascii: "\\"), slash] : [$0] } })
    return escaped.union([
      Array(text.utf8),
      units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
      units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] },
    ])
  }

  /// The characters of Base64 that depend only on these bytes, if `offset` others come before them;
  /// nil for few characters, which other data contain by chance.
  private static func base64(_ bytes: [UInt8], after offset: Int) -> [UInt8]? {
    let encoded = (Array(repeating: 0, count: offset) + bytes).base64
    // A character has 6 bits, so the first ones mix these bytes with those before them.
    let first = (offset * 8 + 5) / 6
    let last = (offset + bytes.count) * 8 / 6
    return last - first >= 8 ? Array(encoded[first..<last]) : nil
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
