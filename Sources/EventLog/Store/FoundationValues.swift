// What a register holds of Foundation's types, and how it is spelled in a journal.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A time in UTC with milliseconds; what is finer is rounded.
extension Date: JSONConvertible {
  /// `time`.
  public static var valueRule: ValueRule { .time }
  /// Nil for what is no time with seconds and an offset or `Z`.
  public init?(json: JSONValue) {
    guard let time = Timestamp(json: json) else { return nil }
    self.init(time)
  }
  /// `null` outside the years 0000–9999.
  public var json: JSONValue { Timestamp(self)?.json ?? .null }
}

/// Text, in capitals.
extension UUID: JSONConvertible {
  /// `text`.
  public static var valueRule: ValueRule { .text }
  /// Nil for what is no UUID.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(uuidString: text)
  }
  /// The text.
  public var json: JSONValue { .string(uuidString) }
}

/// Text.
extension URL: JSONConvertible {
  /// `text`.
  public static var valueRule: ValueRule { .text }
  /// Nil for what is no URL.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(string: text)
  }
  /// The text.
  public var json: JSONValue { .string(absoluteString) }
}

/// A number, with all its digits. One that has more of them than `Decimal` does not fit.
extension Decimal: JSONConvertible {
  /// `number`.
  public static var valueRule: ValueRule { .number }
  /// Nil for what is no number, or one with more digits than fit.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = Decimal(string: number.text),
      JSONNumber(trusted: value.description) == number
    else { return nil }
    self = value
  }
  /// `null` for what is not a number.
  public var json: JSONValue { isNaN ? .null : .number(JSONNumber(trusted: description)) }
}

/// Base64 text (RFC 4648). It is kept for ever and sent to every device: for small things.
extension Data: JSONConvertible {
  /// `text`.
  public static var valueRule: ValueRule { .text }
  /// Nil for what is no Base64.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(base64Encoded: text)
  }
  /// The text.
  public var json: JSONValue { .string(base64EncodedString()) }
}

// MARK: - Times and days

extension Timestamp {
  /// The moment of a date, rounded to milliseconds; nil outside the years 0000–9999.
  public init?(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard let whole = Int64(exactly: milliseconds) else { return nil }
    self.init(milliseconds: whole)
  }
}

extension Date {
  /// The moment of a time in a journal.
  public init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
  }
}

extension Day {
  /// The day of a moment in a time zone.
  ///
  /// A date outside the years 0000–9999 gives the first or the last day of them.
  public init(_ date: Date, in zone: TimeZone) {
    let bounds = Timestamp.range
    let limited = min(
      max(date.timeIntervalSince1970, Double(bounds.lowerBound) / 1000),
      Double(bounds.upperBound) / 1000)
    let time = Timestamp(milliseconds: Int64((limited * 1000).rounded(.down)))!
    self.init(time, secondsEastOfUTC: Int64(zone.secondsFromGMT(for: date)))
  }

  /// The current day in a time zone.
  public static func today(in zone: TimeZone) -> Day { Day(Date(), in: zone) }
}
