/// A point in time of a writer's clock, in whole milliseconds.
///
/// Timestamps are displayed and break ties. They never determine whether an event has seen another
/// one.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let milliseconds: Int64

  /// The years 0000–9999, which the journal format can represent.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Creates a timestamp, or returns `nil` if it is outside the years 0000–9999.
  ///
  /// - Parameter milliseconds: The number of milliseconds since 1970-01-01T00:00:00Z.
  public init?(milliseconds: Int64) {
    guard Self.range.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  package init(trusted milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates a timestamp from a string with seconds and an offset or `Z` (RFC 3339), such as
  /// `2026-01-28T09:12:33+02:00`.
  ///
  /// Fractional digits after the third are dropped. Returns `nil` if `text` isn't valid.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"),
      let day = Day(String(decoding: bytes[0..<10], as: UTF8.self)),
      let hour = Self.number(bytes[11..<13], below: 24),
      let minute = Self.number(bytes[14..<16], below: 60),
      let second = Self.number(bytes[17..<19], below: 60),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if bytes[index] == UInt8(ascii: ".") {
      let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      let padded = Array(digits.prefix(3)) + [UInt8](repeating: 0x30, count: 3)
      fraction = Self.number(padded[0..<3], below: 1000)!
      index += 1 + digits.count
    }
    guard let offset = Self.offset(bytes[index...]) else { return nil }
    let seconds = ((hour * 60 + minute) - offset) * 60 + second
    self.init(milliseconds: Int64(day.number) * 86_400_000 + seconds * 1000 + fraction)
  }

  /// The timestamp in the form `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var description: String { String(writing: write(to:)) }

  /// Appends ``description``.
  package func write(to output: inout [UInt8]) {
    let day = Int((Double(milliseconds) / 86_400_000).rounded(.down))
    let rest = Int(milliseconds) - day * 86_400_000
    Day(number: Int32(day)).write(to: &output)
    output.append(UInt8(ascii: "T"))
    output.append(digitsOf: rest / 3_600_000, width: 2)
    output.append(UInt8(ascii: ":"))
    output.append(digitsOf: rest / 60_000 % 60, width: 2)
    output.append(UInt8(ascii: ":"))
    output.append(digitsOf: rest / 1000 % 60, width: 2)
    output.append(UInt8(ascii: "."))
    output.append(digitsOf: rest % 1000, width: 3)
    output.append(UInt8(ascii: "Z"))
  }

  /// Returns whether the first timestamp is earlier than the second one.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  private static func number(_ digits: ArraySlice<UInt8>, below limit: Int64) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 0x30)
    }
    return value < limit ? value : nil
  }

  /// The minutes east of UTC of `Z` or `±HH:MM`.
  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let text = Array(bytes)
    if text.count == 1, text[0] | 0x20 == UInt8(ascii: "z") { return 0 }
    guard text.count == 6, text[3] == UInt8(ascii: ":"),
      text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
      let hours = number(text[1..<3], below: 24), let minutes = number(text[4..<6], below: 60)
    else { return nil }
    return (text[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }
}

extension Timestamp {
  /// The timestamp after `duration`, or the same timestamp if that is out of range.
  package func advanced(by duration: Duration) -> Timestamp {
    Timestamp(milliseconds: milliseconds + duration.milliseconds) ?? self
  }
}
