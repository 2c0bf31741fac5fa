/// Calendar arithmetic of the proleptic Gregorian calendar, years 0000–9999.
///
/// The day number is the count of days since 1970-01-01, after H. Hinnant, "chrono-compatible
/// low-level date algorithms".
package enum CivilDay {
  /// The day number of the ten bytes `YYYY-MM-DD` at `base`; nil if they are not a real date.
  static func scan(_ base: UnsafePointer<UInt8>) -> Int32? {
    guard base[4] == UInt8(ascii: "-"), base[7] == UInt8(ascii: "-") else { return nil }
    func number(_ start: Int, _ count: Int) -> Int? {
      var value = 0
      for index in start..<(start + count) {
        guard case 0x30...0x39 = base[index] else { return nil }
        value = value * 10 + Int(base[index]) - 0x30
      }
      return value
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2) else {
      return nil
    }
    return Self.number(year: year, month: month, day: day)
  }

  /// The day number of the ten bytes at `start`, which often equal those of the last call.
  @inline(__always)
  package static func scan(
    _ bytes: Span<UInt8>, at start: Int, memo: inout DateMemo
  ) -> Int32? {
    guard start >= 0, start + 10 <= bytes.count else { return nil }
    return bytes.withUnsafeBufferPointer { buffer in
      memo.milliseconds(ofDateAt: buffer.baseAddress! + start)
        .map { Int32(truncatingIfNeeded: $0 / 86_400_000) }
    }
  }

  /// The day number of the ten bytes at `start`.
  package static func scan(_ bytes: Span<UInt8>, at start: Int) -> Int32? {
    guard start >= 0, start + 10 <= bytes.count else { return nil }
    return bytes.withUnsafeBufferPointer { scan($0.baseAddress! + start) }
  }

  static func number(year: Int, month: Int, day: Int) -> Int32? {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= length(ofMonth: month, year: year)
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int32(era * 146_097 + dayOfEra - 719_468)
  }

  static func components(of number: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex + (monthIndex < 10 ? 3 : -9)
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * monthIndex + 2) / 5 + 1
    )
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
