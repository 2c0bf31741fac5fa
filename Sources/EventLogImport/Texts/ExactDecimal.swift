#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decimal number whose sums and products are exact.
///
/// Its range is smaller than that of `Decimal`, which traps near its limits and drops digits
/// without an error.
struct ExactDecimal: CustomStringConvertible {
  private static let digitsMax = 38
  private static let exponentMax = 60

  private let value: Decimal
  /// The number of digits without zeros at either end.
  private let digitCount: Int
  /// The power of ten of the last digit.
  private let exponent: Int

  /// Returns nil unless the text is a JSON number within the range.
  init?(_ text: String) {
    let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 | 0x20 == UInt8(ascii: "e")
    }
    guard let (digits, power) = Self.significand(parts[0]) else { return nil }
    var exponent = power
    if digits.isEmpty {
      (value, digitCount, self.exponent) = (0, 0, 0)
      return
    }
    if parts.count > 1 {
      guard let power = Int(Substring(parts[1])), (-1000...1000).contains(power) else { return nil }
      exponent += power
    }
    let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
    guard digits.count <= Self.digitsMax, exponent >= -Self.exponentMax,
      exponent + digits.count <= Self.exponentMax,
      let value = Decimal(
        string: "\(sign)\(String(decoding: digits, as: UTF8.self))e\(exponent)")
    else { return nil }
    (self.value, digitCount, self.exponent) = (value, digits.count, exponent)
  }

  /// Returns the digits without zeros at either end, and the power of ten of the last one.
  private static func significand(
    _ text: Substring.UTF8View
  ) -> (digits: ArraySlice<UInt8>, exponent: Int)? {
    var digits: [UInt8] = []
    var decimalCount: Int?
    for byte in text.first == UInt8(ascii: "-") ? text.dropFirst() : text {
      if byte == UInt8(ascii: "."), decimalCount == nil {
        decimalCount = 0
      } else if TextCursor.isDigit(byte) {
        digits.append(byte)
        decimalCount? += 1
      } else {
        return nil
      }
    }
    guard !digits.isEmpty else { return nil }
    var significant = digits.drop { $0 == 0x30 }
    var exponent = -(decimalCount ?? 0)
    while significant.last == 0x30 {
      significant.removeLast()
      exponent += 1
    }
    return (significant, exponent)
  }

  /// The number in the spelling of JSON, without an exponent.
  var description: String { value.description }

  /// Returns nil if the sum needs too many digits.
  func adding(_ other: ExactDecimal) -> ExactDecimal? {
    if digitCount == 0 { return other }
    if other.digitCount == 0 { return self }
    let top = max(exponent + digitCount, other.exponent + other.digitCount)
    // The sum may have one digit more.
    guard top - min(exponent, other.exponent) < Self.digitsMax else { return nil }
    return ExactDecimal((value + other.value).description)
  }

  /// Returns nil if the product needs too many digits.
  func multiplied(by other: ExactDecimal) -> ExactDecimal? {
    guard digitCount + other.digitCount <= Self.digitsMax else { return nil }
    return ExactDecimal((value * other.value).description)
  }

  /// Returns the quotient, rounded to 38 digits if it has more.
  func divided(by divisor: Int64) -> String { (value / Decimal(divisor)).description }
}
