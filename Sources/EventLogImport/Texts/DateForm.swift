import EventLog

/// A spelling of dates or times in a source, such as `D.M.YYYY HH:mm`.
struct DateForm: Sendable {
  let text: String
  private let parts: [Part]

  private enum Part: Sendable, Hashable {
    case year, shortYear, month, monthName, day, hour, hourOfHalf, minute, second, fraction, half
    case offset
    case literal(UInt8)
  }

  private static let words: [(String, Part)] = [
    ("YYYY", .year), ("YY", .shortYear), ("MMMM", .monthName), ("MMM", .monthName),
    ("MM", .month), ("M", .month), ("DD", .day), ("D", .day), ("HH", .hour), ("H", .hour),
    ("hh", .hourOfHalf), ("h", .hourOfHalf), ("mm", .minute), ("ss", .second),
    ("SSS", .fraction), ("a", .half), ("Z", .offset),
  ]

  /// Returns nil if a part is missing, there twice, or unknown.
  init?(_ text: String) {
    var rest = text[...]
    var parts: [Part] = []
    var isQuoted = false
    while let first = rest.first {
      if first == "'" {
        isQuoted.toggle()
        rest = rest.dropFirst()
      } else if !isQuoted, let word = Self.words.first(where: { rest.hasPrefix($0.0) }) {
        parts.append(word.1)
        rest = rest.dropFirst(word.0.count)
      } else if !isQuoted, first.isASCII, first.isLetter {
        return nil
      } else {
        parts += first.utf8.map { .literal($0) }
        rest = rest.dropFirst()
      }
    }
    func count(_ wanted: Part...) -> Int { parts.count(where: wanted.contains) }
    let hasHalf = count(.hourOfHalf) == 1
    let named = parts.filter { if case .literal = $0 { false } else { true } }
    guard !isQuoted, count(.year, .shortYear) == 1, count(.month, .monthName) == 1,
      count(.day) == 1, Set(named).count == named.count, count(.half) == (hasHalf ? 1 : 0),
      count(.hour, .hourOfHalf) <= 1, count(.hour, .hourOfHalf) >= count(.minute),
      hasHalf || count(.minute) == count(.hour), count(.minute) >= count(.second),
      count(.second) >= count(.fraction), count(.hour, .hourOfHalf) >= count(.offset)
    else { return nil }
    self.text = text
    self.parts = parts
  }

  static func read(_ name: String, _ reader: MapReader) throws(EventLogError) -> [DateForm] {
    var forms: [DateForm] = []
    for text in try reader.texts(name) {
      guard let form = DateForm(text) else {
        throw reader.refused(
          "has \"\(text)\" in \"\(name)\", which is no form of a date or time",
          hint: "A form has YYYY or YY, MMMM, MMM, MM or M, and DD or D; for a time also HH or H,"
            + " or hh and a, mm, ss, SSS and Z. Other letters stand in '.")
      }
      forms.append(form)
    }
    return forms
  }

  /// Returns the date and time of a text in this form, or nil if it has another one.
  func time(_ text: String) -> WrittenTime? {
    var cursor = TextCursor(text)
    var values: [Part: Int] = [:]
    for part in parts {
      if case .literal(let byte) = part {
        guard cursor.skip(Unicode.Scalar(byte)) else { return nil }
      } else {
        guard let value = Self.value(of: part, &cursor) else { return nil }
        values[part] = value
      }
    }
    guard cursor.isAtEnd, let year = values[.year] ?? values[.shortYear].map(WrittenDate.year),
      let month = values[.month] ?? values[.monthName], let dayOfMonth = values[.day],
      let day = Day(year: year, month: month, day: dayOfMonth)
    else { return nil }
    var time = WrittenTime(date: .exact(day), offset: values[.offset].map(Int64.init))
    var hour = values[.hour]
    if let value = values[.hourOfHalf] {
      hour = TextCursor.hour24(value, isAfternoon: values[.half] == 1)
      if hour == nil { return nil }
    }
    guard let hour else { return time }
    let (minute, second) = (values[.minute] ?? 0, values[.second] ?? 0)
    guard hour < 24, minute < 60, second < 60 else { return nil }
    time.clock = Int64(
      ((hour * 60 + minute) * 60 + second) * 1000 + (values[.fraction] ?? 0))
    return time
  }

  private static func value(of part: Part, _ cursor: inout TextCursor) -> Int? {
    switch part {
    case .year: cursor.number(exactly: 4)
    case .shortYear: cursor.number(exactly: 2)
    case .month, .day, .hour, .hourOfHalf, .minute, .second: cursor.number(2)?.value
    case .monthName: cursor.month()
    case .fraction: cursor.fraction()
    case .half: cursor.half().map { $0 ? 1 : 0 }
    case .offset: cursor.offset().map { Int($0) }
    case .literal: nil
    }
  }
}
