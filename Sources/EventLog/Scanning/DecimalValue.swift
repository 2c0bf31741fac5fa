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
}
