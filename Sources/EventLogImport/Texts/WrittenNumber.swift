/// A number as people write it: with a sign, marks between thousands, and a unit.
struct WrittenNumber: Equatable {
  /// The number in the spelling of JSON.
  private(set) var text: String
  /// The unit before or after the number, or an empty string.
  private(set) var unit: String

  /// Returns nil if the text is no number with this decimal mark.
  init?(_ text: String, _ mark: DecimalMark) {
    var cursor = TextCursor(text)
    cursor.skipSpaces()
    var isNegative = cursor.skipSign()
    let prefix = cursor.unit { !$0.isStartOfNumber(mark) }
    // A mark directly before the digits belongs to the number, and makes it none.
    if let byte = cursor.previous, Self.marks.contains(byte) { return nil }
    if isNegative == nil { isNegative = cursor.skipSign() }
    guard let number = cursor.unsignedNumber(mark) else { return nil }
    cursor.skipSpaces()
    guard cursor.next.map(Self.canBeginUnit) ?? true else { return nil }
    let suffix = cursor.unit { !$0.isAtEnd }
    guard prefix.isEmpty || suffix.isEmpty else { return nil }
    let isZero = number.utf8.allSatisfy { $0 == 0x30 || $0 == 0x2E }
    self.text = isNegative == true && !isZero ? "-" + number : number
    unit = prefix.isEmpty ? suffix : prefix
  }

  /// Whether a text is a number in the notation of programs that isn't decimal, such as `0x10`.
  static func isOtherBase(_ text: String) -> Bool {
    var cursor = TextCursor(text)
    cursor.skipSpaces()
    _ = cursor.skipSign()
    guard cursor.skip("0") else { return false }
    let letters = cursor.rest
    guard let letter = letters.first, letters.count > 1,
      [UInt8(ascii: "x"), UInt8(ascii: "b"), UInt8(ascii: "o")].contains(letter | 0x20)
    else { return false }
    return letters.dropFirst().allSatisfy { byte in
      TextCursor.isDigit(byte) || (0x61...0x66).contains(byte | 0x20) || byte | 0x20 == 0x70
    }
  }

  /// The meanings of a text, by the marks with which it is a number.
  static func readings(_ text: String) -> [(convention: DecimalMark, value: WrittenNumber)] {
    DecimalMark.allCases.compactMap { mark in WrittenNumber(text, mark).map { (mark, $0) } }
  }

  private static let marks: [UInt8] = [0x2C, 0x2E, 0x27]

  /// A mark or sign that follows a number belongs to it, and makes it none.
  private static func canBeginUnit(_ byte: UInt8) -> Bool {
    !TextCursor.isDigit(byte) && !marks.contains(byte) && byte != 0x2B && byte != 0x2D
  }
}

/// Reads the parts of numbers.
extension TextCursor {
  /// Skips a sign, and returns whether it is a minus, or nil if there is none.
  fileprivate mutating func skipSign() -> Bool? {
    if skip("-") || skip(text: "\u{2212}") { return true }
    return skip("+") ? false : nil
  }

  fileprivate func isStartOfNumber(_ mark: DecimalMark) -> Bool {
    guard let next else { return true }
    return Self.isDigit(next) || [0x2B, 0x2D].contains(next)
      || rest.starts(with: mark.rawValue.utf8)
      || rest.starts(with: "\u{2212}".utf8)
  }

  /// Reads text while a condition holds, without the spaces at its end.
  fileprivate mutating func unit(while isPart: (TextCursor) -> Bool) -> String {
    let start = self
    var end = index
    while isPart(self) {
      if skipSpaces() { continue }
      advance()
      end = index
    }
    return String(decoding: start.rest.prefix(end - start.index), as: UTF8.self)
  }

  /// Reads digits with marks between thousands, decimals and an exponent, in the spelling of JSON.
  fileprivate mutating func unsignedNumber(_ mark: DecimalMark) -> String? {
    guard let (whole, isGrouped) = wholePart(mark) else { return nil }
    var text = whole
    if rest.starts(with: mark.rawValue.utf8) {
      advance()
      let decimals = digits()
      if decimals.isEmpty { return nil }
      text += "." + decimals
    } else if whole.isEmpty {
      return nil
    }
    if whole.isEmpty { text = "0" + text }
    return isGrouped ? text : text + exponent()
  }

  /// Reads the digits before the decimals, or returns nil if their groups are not thousands.
  private mutating func wholePart(_ mark: DecimalMark) -> (digits: String, isGrouped: Bool)? {
    var text = digits()
    var groups = [text.utf8.count]
    var used: ArraySlice<UInt8>?
    while let separator = groupMark(mark), used ?? separator == separator {
      used = separator
      for _ in separator { advance() }
      let group = digits()
      groups.append(group.utf8.count)
      text += group
    }
    if groups.count > 1 {
      // In India, the groups before the last three digits have two.
      let middle = groups.dropFirst().dropLast()
      guard groups.last == 3, (1...3).contains(groups[0]), text.utf8.first != 0x30,
        middle.allSatisfy({ $0 == 3 }) || groups[0] < 3 && middle.allSatisfy({ $0 == 2 })
      else { return nil }
    }
    let zeros = text.utf8.prefix { $0 == 0x30 }.count
    let digits = zeros == text.utf8.count ? String(text.suffix(1)) : String(text.dropFirst(zeros))
    return (digits, groups.count > 1)
  }

  /// Returns the mark between thousands that precedes a digit here, or nil if there is none.
  private func groupMark(_ mark: DecimalMark) -> ArraySlice<UInt8>? {
    let other = mark == .point ? "," : "."
    for text in [other, " ", "'", "\u{2019}", "\u{A0}", "\u{202F}", "\u{2009}"] {
      guard rest.starts(with: text.utf8) else { continue }
      let after = rest.dropFirst(text.utf8.count)
      return after.first.map(Self.isDigit) == true ? rest.prefix(text.utf8.count) : nil
    }
    return nil
  }

  private mutating func digits() -> String {
    let digits = rest.prefix(while: Self.isDigit)
    for _ in digits { advance() }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Reads an exponent; empty if none follows.
  private mutating func exponent() -> String {
    let start = self
    guard skip("e") || skip("E") else { return "" }
    let sign = skip("-") ? "-" : skip("+") ? "+" : ""
    let digits = digits()
    if digits.isEmpty {
      self = start
      return ""
    }
    return "e\(sign)\(digits)"
  }
}
