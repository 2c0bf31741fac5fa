/// Numbers in the decimal notation of programs.
enum PlainNumber {
  /// Returns the value of digits with an optional sign, point and exponent, or nil.
  ///
  /// `Double` also reads hexadecimal numbers, `inf` and `nan`, and returns zero for numbers that
  /// are too small.
  static func double(_ text: String) -> Double? {
    let isDecimal = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
      default: false
      }
    }
    guard isDecimal, let value = Double(text), value.isFinite,
      value != 0 || !hasValue(text)
    else { return nil }
    return value
  }

  /// Whether any digit before the exponent isn't zero.
  private static func hasValue(_ text: String) -> Bool {
    text.utf8.prefix { $0 | 0x20 != 0x65 }.contains { (0x31...0x39).contains($0) }
  }
}
