/// A day of the calendar, without a time or time zone.
public struct Day: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of days since 1970-01-01.
  public let number: Int32

  /// The numbers of the days in the years 0000–9999.
  package static let range: ClosedRange<Int64> = -719_528...2_932_896

  /// The last day.
  package static let last = Day(number: Int32(range.upperBound))

  package init(number: Int32) { self.number = number }

  /// Creates a day from a string in the form `YYYY-MM-DD`.
  ///
  /// Returns `nil` if `text` isn't a real date of the Gregorian calendar.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10 else { return nil }
    self.init(text: bytes.span, at: 0)
  }

  /// Reads ten bytes, starting at `start`.
  package init?(text: Span<UInt8>, at start: Int) {
    guard let number = CivilDay.scan(text, at: start) else { return nil }
    self.number = number
  }

  /// The date in the form `YYYY-MM-DD`.
  public var description: String { String(writing: write(to:)) }

  /// Appends ``description``.
  func write(to output: inout [UInt8]) {
    let parts = CivilDay.components(of: Int(number))
    output.append(digitsOf: parts.year, width: 4)
    output.append(UInt8(ascii: "-"))
    output.append(digitsOf: parts.month, width: 2)
    output.append(UInt8(ascii: "-"))
    output.append(digitsOf: parts.day, width: 2)
  }

  /// Returns whether the first day is earlier than the second one.
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }
}
