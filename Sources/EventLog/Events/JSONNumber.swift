/// A JSON number as its writer spelled it, of any size.
///
/// Two numbers are equal iff their decimal values are: `70` = `70.0` = `7e1`.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The spelling.
  public let text: String

  /// Spells a whole number without fraction and exponent.
  public init(_ value: Int64) { text = String(value) }

  /// `text` must be a number by RFC 8259's grammar.
  package init(trusted text: String) { self.text = text }

  /// The value, if it is spelled without fraction and exponent and fits.
  public var integer: Int64? { Int64(text) }

  /// The nearest binary floating-point number.
  public var double: Double { Double(text) ?? .nan }

  /// The number as its writer spelled it.
  public var description: String { text }

  /// Compares decimal values, whatever the spelling.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || DecimalValue(left.text.utf8) == DecimalValue(right.text.utf8)
  }

  /// Hashes the decimal value, so that equal numbers hash alike however they are spelled.
  public func hash(into hasher: inout Hasher) { hasher.combine(DecimalValue(text.utf8)) }
}
