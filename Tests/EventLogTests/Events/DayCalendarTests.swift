import Foundation
import Testing

@testable import EventLog

@Suite struct DayCalendarTests {
  @Test func `a day has a year, a month, a day and a weekday`() throws {
    let day = try #require(Day("2024-02-29"))
    #expect(day.year == 2024 && day.month == 2 && day.dayOfMonth == 29 && day.weekday == 4)
    #expect(Day(year: 2024, month: 2, day: 29) == day)
    #expect(Day(year: 2026, month: 2, day: 29) == nil)
    #expect(Day(year: 10_000, month: 1, day: 1) == nil)
    // 1970-01-01 was a Thursday, 0000-01-01 a Saturday; 9999-12-31 is a Friday.
    #expect(Day("1970-01-01")?.weekday == 4)
    #expect(Day("0000-01-01")?.weekday == 6 && Day("9999-12-31")?.weekday == 5)
  }

  @Test func `days are advanced, counted, iterated and compared`() throws {
    let monday = try #require(Day("2026-03-30"))
    #expect(monday.advanced(by: 7).description == "2026-04-06")
    #expect(monday.advanced(by: -90).description == "2025-12-30")
    #expect(monday.distance(to: Day("2026-04-06")!) == 7)
    let week = Array(monday..<monday.advanced(by: 7))
    #expect(week.map(\.weekday) == [1, 2, 3, 4, 5, 6, 7])
    #expect((monday...monday.advanced(by: 6)).contains(Day("2026-04-05")!))
    #expect(monday != monday.advanced(by: 1) && monday < monday.advanced(by: 1))
  }

  @Test func `the day of a time depends on the time zone`() throws {
    let moment = Date(Timestamp("2026-01-28T23:30:00Z")!)
    func day(_ hours: Int) -> String {
      Day(moment, in: TimeZone(secondsFromGMT: hours * 3600)!).description
    }
    #expect(day(0) == "2026-01-28" && day(1) == "2026-01-29" && day(-12) == "2026-01-28")
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(Day(Date(Timestamp("2026-07-01T22:30:00Z")!), in: berlin).description == "2026-07-02")
    let before = Date(Timestamp("1969-12-31T23:59:59.999Z")!)
    #expect(Day(before, in: .gmt).description == "1969-12-31")
    #expect(Day(.distantFuture, in: .gmt) < Day("9999-12-31")!)
    #expect(Day(Date(timeIntervalSince1970: 1e300), in: .gmt).description == "9999-12-31")
    #expect(Day(Date(timeIntervalSince1970: -1e300), in: .gmt).description == "0000-01-01")
  }

  @Test func `today is the current day in the system's time zone`() {
    // Around midnight the calls may return two different days.
    let (before, today, after) = (Day(Date(), in: .current), Day.today, Day.today(in: .current))
    #expect((before...after).contains(today))
  }

  @Test func `a day, a time and an ID are encoded as text and round-trip`() throws {
    let day = Day("2026-01-28")!
    let time = Timestamp("2026-01-28T09:12:33.123Z")!
    #expect(try String(decoding: JSONEncoder().encode([day]), as: UTF8.self) == #"["2026-01-28"]"#)
    #expect(try JSONDecoder().decode([Day].self, from: Data(#"["2026-01-28"]"#.utf8)) == [day])
    #expect(
      try JSONDecoder().decode([Timestamp].self, from: JSONEncoder().encode([time])) == [time])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Day].self, from: Data(#"["2026-02-30"]"#.utf8))
    }
    let food = ID<Food>("oats")!
    #expect(try JSONDecoder().decode(ID<Food>.self, from: JSONEncoder().encode(food)) == food)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ID<Food>.self, from: Data(#""habit/oats""#.utf8))
    }
  }

  @Test func `a time converts to a date and back`() throws {
    for text in [
      "2026-01-28T09:12:33.123Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
    ] {
      let time = try #require(Timestamp(text))
      #expect(Timestamp(Date(time)) == time)
    }
    #expect(Timestamp(Date(timeIntervalSince1970: 0.0006))?.milliseconds == 1)
    #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == nil)
    #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == nil)
  }

  @Test func `a day that begins at four contains the hours before`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    for (time, day) in [
      ("2026-01-28T03:59:59+01:00", "2026-01-27"), ("2026-01-28T04:00:00+01:00", "2026-01-28"),
      ("2026-01-28T23:59:59+01:00", "2026-01-28"),
      // The clocks are set forward and back on these days.
      ("2026-03-29T03:59:59+02:00", "2026-03-28"), ("2026-03-29T04:00:00+02:00", "2026-03-29"),
      ("2026-10-25T03:59:59+01:00", "2026-10-24"), ("2026-10-25T04:00:00+01:00", "2026-10-25"),
    ] {
      let date = Date(try #require(Timestamp(time)))
      #expect(Day(date, in: zone, startingAt: .seconds(4 * 3600)) == Day(day), "\(time)")
    }
    let (before, today, after) = (
      Day(Date(), in: zone, startingAt: .seconds(3600)),
      Day.today(in: zone, startingAt: .seconds(3600)),
      Day(Date(), in: zone, startingAt: .seconds(3600))
    )
    #expect(before <= today && today <= after)
  }
}
