// Foundation types as values of registers, and their JSON in a journal.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A time in UTC, rounded to milliseconds.
extension Date: JSONConvertible {
  /// The rule ``ValueRule/time``.
  public static var valueRule: ValueRule { .time }
  /// Creates a date from a string with seconds and an offset or `Z` (RFC 3339).
  ///
  /// Returns `nil` for any other value.
  public init?(json: JSONValue) {
    guard let time = Timestamp(json: json) else { return nil }
    self.init(time)
  }
  /// The date as a JSON string in UTC, or `null` outside the years 0000–9999.
  public var json: JSONValue { Timestamp(self)?.json ?? .null }
}

/// A string in uppercase letters.
extension UUID: JSONConvertible {
  /// The rule ``ValueRule/text``.
  public static var valueRule: ValueRule { .text }
  /// Creates a UUID from a string.
  ///
  /// Returns `nil` for any other value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(uuidString: text)
  }
  /// The UUID as a JSON string.
  public var json: JSONValue { .string(uuidString) }
}

/// A string.
extension URL: JSONConvertible {
  /// The rule ``ValueRule/text``.
  public static var valueRule: ValueRule { .text }
  /// Creates a URL from a string.
  ///
  /// Returns `nil` for any other value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(string: text)
  }
  /// The absolute URL as a JSON string.
  public var json: JSONValue { .string(absoluteString) }
}

/// A number with all its digits. A number with more digits than `Decimal` can represent doesn't
/// fit.
extension Decimal: JSONConvertible {
  /// The rule ``ValueRule/number``.
  public static var valueRule: ValueRule { .number }
  /// Creates a decimal number.
  ///
  /// Returns `nil` if the value isn't a number or has more digits than `Decimal` can represent.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = Decimal(string: number.text),
      JSONNumber(trusted: value.description) == number
    else { return nil }
    self = value
  }
  /// The number in JSON, or `null` if it is not a number.
  public var json: JSONValue { isNaN ? .null : .number(JSONNumber(trusted: description)) }
}

extension RecordField {
  /// Returns a counter of decimal numbers with at most six digits after the point.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - path: The property that shows the field.
  ///   - note: A short description that `eventlog types` prints.
  public static func counter(
    _ name: String, _ path: any WritableKeyPath<Root, Counter<Decimal>> & Sendable,
    note: String = ""
  ) -> RecordField {
    RecordField(counter: name, path, note: note)
  }
}

/// A Base64 string (RFC 4648). Use it for small data: it stays in the journal and is sent to every
/// device.
extension Data: JSONConvertible {
  /// The rule ``ValueRule/text``.
  public static var valueRule: ValueRule { .text }
  /// Creates data from a Base64 string.
  ///
  /// Returns `nil` for any other value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(base64Encoded: text)
  }
  /// The data as a Base64 string.
  public var json: JSONValue { .string(base64EncodedString()) }
}

// MARK: - Times and days

extension Timestamp {
  /// Creates a timestamp from a date, rounded to milliseconds.
  ///
  /// Returns `nil` if the date is outside the years 0000–9999.
  public init?(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard let whole = Int64(exactly: milliseconds) else { return nil }
    self.init(milliseconds: whole)
  }
}

extension Date {
  /// Creates a date from a timestamp.
  public init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
  }
}

extension Day {
  /// Creates the day of a date in a time zone.
  ///
  /// A date outside the years 0000–9999 results in the first or last day of these years.
  ///
  /// - Parameters:
  ///   - date: The date.
  ///   - zone: The time zone.
  ///   - start: The time at which a day begins, by the clock of the zone, as the time after
  ///     midnight: if it is 4 hours, 3 o'clock belongs to the day before. Less than 24 hours.
  public init(_ date: Date, in zone: TimeZone, startingAt start: Duration = .zero) {
    let bounds = Timestamp.range
    let limited = min(
      max(date.timeIntervalSince1970, Double(bounds.lowerBound) / 1000),
      Double(bounds.upperBound) / 1000)
    let time = Timestamp(milliseconds: Int64((limited * 1000).rounded(.down)))!
    self.init(
      time,
      secondsEastOfUTC: Int64(zone.secondsFromGMT(for: date)) - start.components.seconds)
  }

  /// Returns the current day in a time zone.
  ///
  /// - Parameters:
  ///   - zone: The time zone.
  ///   - start: The time after midnight at which a day begins. Less than 24 hours.
  public static func today(in zone: TimeZone, startingAt start: Duration = .zero) -> Day {
    Day(Date(), in: zone, startingAt: start)
  }
}
