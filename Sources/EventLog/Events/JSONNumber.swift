/// A JSON number of any size, in its original spelling.
///
/// Two numbers are equal if they have the same decimal value: `70` = `70.0` = `7e1`.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number in its original spelling.
  public let text: String

  /// Creates a number that is spelled without a fraction and exponent.
  public init(_ value: Int64) { text = String(value) }

  /// Creates a number from a text, which must be a number according to RFC 8259.
  package init(trusted text: String) { self.text = text }

  /// The value as an integer, or `nil` if the number is spelled with a fraction or exponent, or
  /// doesn't fit.
  public var integer: Int64? { Int64(text) }

  /// The nearest floating-point value.
  public var double: Double { Double(text) ?? .nan }

  /// The number in its original spelling.
  public var description: String { text }

  /// Returns whether two numbers have the same decimal value, regardless of their spelling.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || DecimalValue(left.text.utf8) == DecimalValue(right.text.utf8)
  }

  /// Hashes the decimal value, so that equal numbers have the same hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(DecimalValue(text.utf8)) }
}
