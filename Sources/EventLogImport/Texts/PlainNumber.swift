/// Numbers in the decimal notation of programs.
enum PlainNumber {
  /// Returns the value of digits with an optional sign, point and exponent, or nil.
  ///
  /// `Double` also reads hexadecimal numbers, `inf` and `nan`.
  static func double(_ text: String) -> Double? {
    let isDecimal = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
      default: false
      }
    }
    guard isDecimal, let value = Double(text), value.isFinite else { return nil }
    return value
  }
}
