/// Reads the parts of a short text, byte by byte.
struct TextCursor {
  private let bytes: [UInt8]
  private(set) var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index == bytes.count }
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }
  /// The byte that was read last.
  var previous: UInt8? { index > 0 ? bytes[index - 1] : nil }
  var hasDigit: Bool { next.map(Self.isDigit) ?? false }
  var hasLetter: Bool { next.map(Self.isLetter) ?? false }

  /// The bytes that were not read yet.
  var rest: ArraySlice<UInt8> { bytes[index...] }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Skips one byte, unless the text is at its end.
  mutating func advance() { if index < bytes.count { index += 1 } }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func skip(text: StaticString) -> Bool {
    let isNext = text.withUTF8Buffer { rest.starts(with: $0) }
    if isNext { index += text.utf8CodeUnitCount }
    return isNext
  }

  /// Skips spaces, including the no-break and thin ones of formatters.
  @discardableResult
  mutating func skipSpaces() -> Bool {
    let start = index
    while skip(" ") || skip("\t") || skip(text: "\u{A0}")
      || skip(text: "\u{202F}") || skip(text: "\u{2009}")
    {}
    return index > start
  }

  /// Reads 1 to `most` digits.
  mutating func number(_ most: Int) -> (value: Int, digits: Int)? {
    let start = index
    var value = 0
    while index - start < most, let byte = next, Self.isDigit(byte) {
      value = value * 10 + Int(byte - 0x30)
      index += 1
    }
    return index == start ? nil : (value, index - start)
  }

  /// Reads a number of exactly `count` digits.
  mutating func number(exactly count: Int) -> Int? {
    guard let (value, digits) = number(count), digits == count else { return nil }
    return value
  }

  /// The number of digits that follow.
  var digitCount: Int { rest.prefix(while: Self.isDigit).count }

  /// Reads ASCII letters, in lower case.
  mutating func word() -> String {
    let letters = rest.prefix(while: Self.isLetter)
    index += letters.count
    return String(decoding: letters.map { $0 | 0x20 }, as: UTF8.self)
  }
}
