import EventLog

/// A date, with or without a time of day and an offset, as people write it.
struct WrittenTime: Equatable {
  var date: WrittenDate
  /// The milliseconds since midnight, or nil without a time of day.
  var clock: Int64?
  /// The minutes east of UTC, or nil for a local time.
  var offset: Int64?

  init(date: WrittenDate, clock: Int64? = nil, offset: Int64? = nil) {
    (self.date, self.clock, self.offset) = (date, clock, offset)
  }

  /// Reads a text in any of the usual spellings.
  init?(_ text: String) {
    var cursor = TextCursor(text)
    cursor.skipSpaces()
    guard let date = cursor.date() else { return nil }
    self.init(date: date)
    let isSeparated = cursor.skipDateEnd()
    if !cursor.isAtEnd {
      guard isSeparated, let clock = cursor.clock() else { return nil }
      self.clock = clock
      cursor.skipSpaces()
      if !cursor.isAtEnd {
        guard let offset = cursor.offset() else { return nil }
        self.offset = offset
      }
    }
    cursor.skipSpaces()
    if !cursor.isAtEnd { return nil }
  }

  /// Returns the milliseconds since 1970 of the clock on a day, as if it showed UTC.
  func local(on day: Day) -> Int64? { clock.map { Int64(day.number) * 86_400_000 + $0 } }
}

/// Reads times of day.
extension TextCursor {
  /// Skips the separator between a date and a time, and returns whether there is one.
  fileprivate mutating func skipDateEnd() -> Bool {
    if skip("T") || skip("t") { return true }
    let hasComma = skip(",")
    guard skipSpaces() else { return hasComma }
    let start = self
    if word() != "at" || !skipSpaces() { self = start }
    return true
  }

  /// Reads `19:30`, `19:30:55.123`, `7:30 PM`, `7 PM` and `193055`.
  mutating func clock() -> Int64? {
    var (hour, minute, second, milliseconds) = (0, 0, 0, 0)
    let digits = digitCount
    guard let first = number(2)?.value else { return nil }
    hour = first
    var (isComplete, hasSeconds) = (digits > 2, digits == 6)
    switch digits {
    case 1, 2:
      guard skip(":") else { break }
      guard let minutes = number(exactly: 2) else { return nil }
      minute = minutes
      isComplete = true
      if skip(":") {
        guard let seconds = number(exactly: 2) else { return nil }
        second = seconds
        hasSeconds = true
      }
    case 4, 6:
      guard let minutes = number(exactly: 2) else { return nil }
      minute = minutes
      if digits == 6 { second = number(exactly: 2) ?? 60 }
    default: return nil
    }
    if hasSeconds, !hasDigit, next == 0x2E || next == 0x2C {
      _ = skip(".") || skip(",")
      guard let fraction = fraction() else { return nil }
      milliseconds = fraction
    }
    guard let hour = hour24(hour, needsHalf: !isComplete), minute < 60, second < 60, !hasDigit
    else { return nil }
    return Int64(((hour * 60 + minute) * 60 + second) * 1000 + milliseconds)
  }

  /// Reads the digits after the point of a second, as milliseconds.
  mutating func fraction() -> Int? {
    guard let (value, digits) = number(3) else { return nil }
    while hasDigit { _ = number(9) }
    return digits == 1 ? value * 100 : digits == 2 ? value * 10 : value
  }

  /// Returns an hour from 0 to 23, after reading AM or PM if it follows.
  private mutating func hour24(_ hour: Int, needsHalf: Bool) -> Int? {
    let start = self
    skipSpaces()
    guard let isAfternoon = half() else {
      self = start
      return !needsHalf && hour < 24 ? hour : nil
    }
    return Self.hour24(hour, isAfternoon: isAfternoon)
  }

  static func hour24(_ hour: Int, isAfternoon: Bool) -> Int? {
    (1...12).contains(hour) ? hour % 12 + (isAfternoon ? 12 : 0) : nil
  }

  /// Reads AM or PM, and returns whether it is PM.
  mutating func half() -> Bool? {
    let start = self
    let first = word()
    switch first {
    case "am", "pm": return first == "pm"
    case "a", "p":
      if skip("."), word() == "m", skip(".") { return first == "p" }
    default: break
    }
    self = start
    return nil
  }

  /// Reads `Z`, `UTC`, `GMT+1`, `+01:00`, `+0100` and `+01`, as minutes east of UTC.
  mutating func offset() -> Int64? {
    if hasLetter {
      guard ["z", "utc", "gmt"].contains(word()) else { return nil }
      if isAtEnd { return 0 }
    }
    let isWest = skip("-") || skip(text: "\u{2212}")
    guard isWest || skip("+") else { return nil }
    var digits = digitCount
    guard let hours = number(2)?.value, hours < 24 else { return nil }
    if skip(":") { digits = 4 }
    var minutes = 0
    if digits == 4 {
      guard let value = number(exactly: 2), value < 60 else { return nil }
      minutes = value
    } else if digits > 2 {
      return nil
    }
    return Int64(hours * 60 + minutes) * (isWest ? -1 : 1)
  }
}
