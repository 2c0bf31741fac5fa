import EventLog

/// The order of the parts of a date that has its year at the end, or with two digits.
public enum DateOrder: String, Sendable, Hashable, CaseIterable {
  /// The day, the month, and the year: `31/1/2026`.
  case dayFirst = "D/M"
  /// The month, the day, and the year: `1/31/2026`.
  case monthFirst = "M/D"
  /// A year with two digits, the month, and the day: `26/1/31`.
  case yearFirst = "Y/M"
}

/// A date as people write it.
enum WrittenDate: Equatable {
  case exact(Day)
  /// Three numbers whose order the text doesn't show.
  case unordered(Int, Int, Int, Form)

  enum Form {
    case longYear
    case shortYear
    /// A year of two digits, which is usually the last number if the mark is a dot.
    case shortYearWithDots

    fileprivate var isShort: Bool { self != .longYear }
  }

  /// The day in one order, or nil if there is no such date.
  func day(_ order: DateOrder) -> Day? {
    switch (self, order) {
    case (.exact(let day), _): day
    case (.unordered(let day, let month, let year, let form), .dayFirst):
      Day(year: form.isShort ? Self.year(year) : year, month: month, day: day)
    case (.unordered(let month, let day, let year, let form), .monthFirst):
      Day(year: form.isShort ? Self.year(year) : year, month: month, day: day)
    case (.unordered(let year, let month, let day, let form), .yearFirst):
      form.isShort ? Day(year: Self.year(year), month: month, day: day) : nil
    }
  }

  /// The orders in which there is such a date, each with the day.
  var readings: [(convention: DateOrder, value: Day)] {
    DateOrder.allCases.compactMap { order in
      if case .unordered(_, _, _, .shortYearWithDots) = self, order == .yearFirst { return nil }
      return day(order).map { (order, $0) }
    }
  }

  /// Returns the year of two digits, from 1970 to 2069.
  static func year(_ short: Int) -> Int { short < 70 ? 2000 + short : 1900 + short }
}

/// Reads dates in any of the usual spellings.
extension TextCursor {
  mutating func date() -> WrittenDate? {
    skipWeekday()
    if hasLetter { return dateWithMonthFirst() }
    switch digitCount {
    case 8:
      guard let year = number(exactly: 4), let month = number(exactly: 2),
        let day = number(exactly: 2)
      else { return nil }
      return Day(year: year, month: month, day: day).map { .exact($0) }
    case 4: return dateWithYearFirst()
    case 1, 2: return dateWithYearLast()
    default: return nil
    }
  }

  private mutating func skipWeekday() {
    guard hasLetter else { return }
    let start = self
    let word = word()
    let isWeekday =
      word.utf8.count >= 3
      && ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        .contains { $0.hasPrefix(word) }
    guard isWeekday else {
      self = start
      return
    }
    _ = skip(".") || skip(",")
    skipSpaces()
  }

  /// Skips a separator of the parts of a date and returns it.
  private mutating func separator() -> UInt8? {
    guard let byte = next, [0x2D, 0x2E, 0x2F].contains(byte) else { return nil }
    _ = skip(Unicode.Scalar(byte))
    return byte
  }

  private mutating func dateWithYearFirst() -> WrittenDate? {
    guard let year = number(exactly: 4), let mark = separator() else { return nil }
    let month = hasLetter ? month() : number(2)?.value
    guard let month, separator() == mark, let day = number(2)?.value else { return nil }
    return Day(year: year, month: month, day: day).map { .exact($0) }
  }

  /// Reads `Feb 1, 2026`.
  private mutating func dateWithMonthFirst() -> WrittenDate? {
    guard let month = month() else { return nil }
    _ = skip(".")
    guard skipSpaces(), let day = number(2)?.value else { return nil }
    skipOrdinal()
    _ = skip(",")
    guard skipSpaces(), let year = year() else { return nil }
    return Day(year: year.value, month: month, day: day).map { .exact($0) }
  }

  /// Reads `1/2/2026`, `01.02.26`, `1-Feb-2026` and `1 February 2026`.
  private mutating func dateWithYearLast() -> WrittenDate? {
    guard let first = number(2)?.value else { return nil }
    skipOrdinal()
    let mark = separator()
    let isSpaced = skipSpaces()
    if hasLetter {
      guard mark != nil || isSpaced, let month = month() else { return nil }
      _ = mark == 0x2E ? skip(".") : mark == nil ? skip(".") || skip(",") : separator() == mark
      skipSpaces()
      guard let year = year() else { return nil }
      return Day(year: year.value, month: month, day: first).map { .exact($0) }
    }
    guard let mark, mark == 0x2E || !isSpaced, let second = number(2)?.value, separator() == mark
    else { return nil }
    if mark == 0x2E { skipSpaces() }
    let isShort = digitCount == 2
    guard let third = number(exactly: isShort ? 2 : 4), !hasDigit else { return nil }
    let form: WrittenDate.Form =
      isShort ? mark == 0x2E ? .shortYearWithDots : .shortYear : .longYear
    return .unordered(first, second, third, form)
  }

  /// Reads a year of four or two digits.
  mutating func year() -> (value: Int, isShort: Bool)? {
    let isShort = digitCount == 2
    guard let year = number(exactly: isShort ? 2 : 4), !hasDigit else { return nil }
    return (isShort ? WrittenDate.year(year) : year, isShort)
  }

  private mutating func skipOrdinal() {
    let start = self
    if !["st", "nd", "rd", "th"].contains(word()) { self = start }
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// Reads the English name of a month, or at least three letters of its beginning.
  mutating func month() -> Int? {
    let word = word()
    guard word.utf8.count >= 3 else { return nil }
    return Self.months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
  }
}
