/// A decimal number with at most six digits after the point: a counter's total or increment, or a
/// goal.
///
/// It is a whole number of millionths, so sums are exact.
package struct Amount: Sendable, Hashable, Comparable, BitwiseCopyable, ExpressibleByIntegerLiteral
{
  package let millionths: Int128

  private static let unit: Int128 = 1_000_000

  package static let zero = Amount(0)
  package static let one = Amount(1)
  /// The values that a counter can be set to, and that a goal can have.
  package static let totals = zero...Amount(1_000_000_000)
  /// The values that can be added to a counter.
  package static let increments = Amount(-1_000_000_000)...Amount(1_000_000_000)

  /// A phrase for ``increments`` that completes a sentence with "must be".
  package static let incrementPhrase =
    "a number from -1000000000 to 1000000000 with at most 6 digits after the point"

  package init(millionths: Int128) { self.millionths = millionths }

  package init(_ whole: Int64) { millionths = Int128(whole) * Self.unit }

  /// The value of a JSON number, or nil if it has an exponent, more than six digits after the
  /// point, or more than 18 characters.
  package init?(_ number: JSONNumber) {
    let bytes = Array(number.text.utf8)
    self.init(bytes.span, ByteRange(0, bytes.count))
  }

  /// The value of the JSON number at `range`, or nil as in ``init(_:)-(JSONNumber)``.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, _ range: ByteRange) {
    // The digits of a valid amount fit into an Int64: ten before the point and six after it.
    guard range.count <= 18 else { return nil }
    var value: Int64 = 0
    // The power of ten of the last digit, or nil before the point.
    var scale: Int64?
    var index = range.start
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    while index < range.end {
      let byte = bytes[index]
      index &+= 1
      if byte == UInt8(ascii: ".") {
        scale = 1_000_000
      } else {
        guard byte &- 0x30 < 10 else { return nil }
        value = value &* 10 &+ Int64(byte &- 0x30)
        if let digit = scale {
          guard digit > 1 else { return nil }
          scale = digit / 10
        }
      }
    }
    let whole = Int128(value) * Int128(scale ?? 1_000_000)
    millionths = isNegative ? -whole : whole
  }

  package init(integerLiteral whole: Int64) { self.init(whole) }

  package static func < (one: Amount, other: Amount) -> Bool { one.millionths < other.millionths }

  package static func + (one: Amount, other: Amount) -> Amount {
    Amount(millionths: one.millionths + other.millionths)
  }

  package static func - (one: Amount, other: Amount) -> Amount {
    Amount(millionths: one.millionths - other.millionths)
  }

  package static prefix func - (amount: Amount) -> Amount { zero - amount }

  /// The number in JSON, without zeros at the end of a fraction.
  package var number: JSONNumber { JSONNumber(trusted: String(writing: write(to:))) }

  /// Appends the number as it is spelled in ``number``.
  package func write(to output: inout [UInt8]) {
    let (whole, fraction) = millionths.magnitude.quotientAndRemainder(
      dividingBy: Self.unit.magnitude)
    if millionths < 0 { output.append(UInt8(ascii: "-")) }
    output.append(digitsOf: whole)
    guard fraction > 0 else { return }
    output.append(UInt8(ascii: "."))
    output.append(digitsOf: fraction, width: 6)
    while output.last == UInt8(ascii: "0") { output.removeLast() }
  }
}
