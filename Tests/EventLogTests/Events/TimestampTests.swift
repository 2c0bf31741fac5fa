import Testing

@testable import EventLog

@Suite struct TimestampTests {
  @Test(arguments: [
    ("2026-01-28T09:12:33Z", "2026-01-28T09:12:33.000Z"),
    ("2026-01-28t09:12:33z", "2026-01-28T09:12:33.000Z"),
    ("2026-01-28T09:12:33.1Z", "2026-01-28T09:12:33.100Z"),
    ("2026-01-28T09:12:33.12Z", "2026-01-28T09:12:33.120Z"),
    ("2026-01-28T09:12:33.123456789Z", "2026-01-28T09:12:33.123Z"),
    ("2026-01-28T09:12:33.999999Z", "2026-01-28T09:12:33.999Z"),
    ("2026-01-28T09:12:33+00:00", "2026-01-28T09:12:33.000Z"),
    ("2026-01-28T09:12:33-00:00", "2026-01-28T09:12:33.000Z"),
    ("2026-01-28T09:12:33.5+02:00", "2026-01-28T07:12:33.500Z"),
    ("2026-01-28T09:12:33-05:30", "2026-01-28T14:42:33.000Z"),
    ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
    ("2024-02-28T23:30:00-01:00", "2024-02-29T00:30:00.000Z"),
    ("2026-01-28T09:12:33+23:59", "2026-01-27T09:13:33.000Z"),
    ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
  ])
  func `a time with an offset is converted to UTC`(text: String, expected: String) {
    #expect(Timestamp(text)?.description == expected)
  }

  @Test(arguments: [
    "", "2026-01-28", "2026-01-28T09:12Z", "2026-01-28T09:12:33", "2026-01-28 09:12:33Z",
    "2026-02-30T09:12:33Z", "2026-01-28T24:00:00Z", "2026-01-28T09:60:00Z", "2026-01-28T09:12:60Z",
    "2026-01-28T09:12:33.Z", "2026-01-28T09:12:33,5Z", "2026-01-28T09:12:33ZZ",
    "2026-01-28T09:12:33+0200", "2026-01-28T09:12:33+02", "2026-01-28T09:12:33+24:00",
    "2026-01-28T09:12:33+02:60", "2026-01-28T09:12:33 +02:00", "2026-01-28T09:12:33*02:00",
    "2026-01-28T9:12:33Z", "2026-1-28T09:12:33Z", " 2026-01-28T09:12:33Z",
    "2026-01-28T09:12:33Z ", "2026-01-28T09-12:33Z", "2026-01-28T09:12-33Z",
    "\u{FF12}026-01-28T09:12:33Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    "phone-k3f9a2xq:42", "12026-01-28T09:12:33Z", "2026-01-28T09:12:33.123.4Z",
  ])
  func `an incomplete or invalid time is refused`(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func `times are limited to the years 0 to 9999`() {
    #expect(Timestamp(milliseconds: -62_167_219_200_001) == nil)
    #expect(Timestamp(milliseconds: 253_402_300_800_000) == nil)
    #expect(Timestamp(milliseconds: .min) == nil)
    #expect(Timestamp(milliseconds: .max) == nil)
    #expect(
      Timestamp(milliseconds: -62_167_219_200_000)?.description == "0000-01-01T00:00:00.000Z")
    #expect(
      Timestamp(milliseconds: 253_402_300_799_999)?.description == "9999-12-31T23:59:59.999Z")
  }

  @Test func `random timestamps round-trip and sort like their text`() {
    var random = FormatRandom.generator("Timestamp")
    let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    var last = Timestamp(milliseconds: 0)!
    for _ in 0..<Rounds.of(2000) {
      // Half of the times are around midnight, where rounding could change the day.
      var milliseconds = Int64.random(in: range, using: &random)
      if Bool.random(using: &random) {
        milliseconds -= milliseconds % 86_400_000 + Int64.random(in: -1...1, using: &random)
      }
      guard let time = Timestamp(milliseconds: milliseconds) else { continue }
      let text = time.description
      if Timestamp(text) != time { Issue.record("\(milliseconds) is spelled \(text)") }
      #expect((time < last) == text.utf8.lexicographicallyPrecedes(last.description.utf8))
      last = time
    }
  }
}

@Suite struct DayTests {
  @Test(arguments: ["0000-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"])
  func `a date round-trips`(text: String) {
    #expect(Day(text)?.description == text)
  }

  @Test(arguments: [
    "", "2026-02-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00",
    "2026-1-1", "20260101", "2026/01/01", "2026-01-011", " 2026-01-01", "+026-01-01", "-001-01-01",
    "2026-01-2\u{301}", "\u{FF12}26-01-01",
  ])
  func `an invalid date is refused`(text: String) {
    #expect(Day(text) == nil)
  }

  @Test func `days are ordered and counted`() throws {
    let (first, second) = try (#require(Day("2024-02-28")), #require(Day("2024-03-01")))
    #expect(first < second)
    #expect(second.number - first.number == 2)
    #expect(Day("1970-01-01")?.number == 0)
  }
}
