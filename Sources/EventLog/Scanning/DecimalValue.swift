/// The exact value of a JSON number: ± 0.d₁d₂d₃… × 10^exponent, without zeros at either end.
struct DecimalValue: Hashable {
  private var isNegative = false
  private var digits: [UInt8] = []
  private var exponent: Int128 = 0

  /// Creates the value of `spelling`, which must be a JSON number.
  ///
  /// Exponents beyond ±10^36 are clamped, so numbers that differ only in these are equal.
  init(_ spelling: some Sequence<UInt8>) {
    var point: Int?
    var exponentDigits: Int128 = 0
    var exponentIsNegative = false
    var inExponent = false
    for byte in spelling {
      switch byte {
      case UInt8(ascii: "-"):
        if inExponent { exponentIsNegative = true } else { isNegative = true }
      case UInt8(ascii: "."): point = digits.count
      case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
      case 0x30...0x39:
        let limit: Int128 = 1_000_000_000_000_000_000 * 1_000_000_000_000_000_000
        if inExponent {
          exponentDigits = min(limit, exponentDigits * 10 + Int128(byte - 0x30))
        } else {
          digits.append(byte - 0x30)
        }
      default: break
      }
    }
    exponent = Int128(point ?? digits.count) + (exponentIsNegative ? -1 : 1) * exponentDigits
    let leading = digits.prefix { $0 == 0 }.count
    digits.removeFirst(leading)
    exponent -= Int128(leading)
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty {
      isNegative = false
      exponent = 0
    }
  }

  var isBelowZero: Bool { isNegative }

  /// The number times a factor and divided by a divisor, rounded to 17 digits if it has more, or
  /// nil if it is too large to be exact before that.
  func times(_ factor: Int64, over divisor: Int64) -> String? {
    guard digits.count <= 17, (-300...300).contains(exponent), divisor != 0 else { return nil }
    var value = digits.reduce(Int128(0)) { $0 * 10 + Int128($1) } * Int128(factor.magnitude)
    var scale = exponent - Int128(digits.count)
    let divisor128 = Int128(divisor.magnitude)
    // 17 digits of the quotient, and one for rounding.
    let most = Int128(1_000_000_000_000_000_000) * 100
    while value % divisor128 != 0, value / divisor128 < most, value < Int128.max / 16 {
      value *= 10
      scale -= 1
    }
    value /= divisor128
    while value >= most / 1000 {
      let (rest, digit) = value.quotientAndRemainder(dividingBy: 10)
      let isLast = rest < most / 1000
      value = isLast && digit >= 5 ? rest + 1 : rest
      scale += 1
    }
    while value != 0, value % 10 == 0 { (value, scale) = (value / 10, scale + 1) }
    if value == 0 { return "0" }
    let isBelowZero = isNegative != ((factor < 0) != (divisor < 0))
    return (isBelowZero ? "-" : "") + Self.spelling(value, scale)
  }

  private static func spelling(_ value: Int128, _ scale: Int128) -> String {
    let digits = String(value)
    if scale >= 0 {
      return scale <= 20
        ? digits + String(repeating: "0", count: Int(scale)) : "\(digits)e\(scale)"
    }
    let point = Int128(digits.count) + scale
    if point > 0 { return "\(digits.prefix(Int(point))).\(digits.dropFirst(Int(point)))" }
    return point > -20
      ? "0." + String(repeating: "0", count: Int(-point)) + digits : "\(digits)e\(scale)"
  }
}
