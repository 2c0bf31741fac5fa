import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Dates and times in the spellings of exports.
@Suite struct DateTests {
  @Test(
    arguments: [
      ("2026-02-01", "2026-02-01"), ("2026/2/1", "2026-02-01"), ("20260201", "2026-02-01"),
      ("Feb 1, 2026", "2026-02-01"), ("February 1 2026", "2026-02-01"),
      ("1 Feb 2026", "2026-02-01"), ("1-Feb-26", "2026-02-01"), ("1. Feb 2026", "2026-02-01"),
      ("Sun, 1 Feb 2026", "2026-02-01"), ("Sunday, February 1st, 2026", "2026-02-01"),
      ("2026-Feb-01", "2026-02-01"), ("31/1/2026", "2026-01-31"), ("1/31/2026", "2026-01-31"),
      ("1/31/26", "2026-01-31"), ("31.01.2026", "2026-01-31"), ("12-31-98", "1998-12-31"),
      ("5/5/2026", "2026-05-05"), ("05.05.05", "2005-05-05"), (" 2026-02-01 ", "2026-02-01"),
      ("2026-02-30", nil), ("31/31/2026", nil), ("2026-1", nil), ("1/2", nil), ("Feb 2026", nil),
      ("2026-02-01x", nil), ("1/2-2026", nil), ("0x10", nil), ("", nil), ("12345", nil),
      ("2026-02-01 25:00", nil), ("2026-02-01 7", nil), ("2026-02-01 19:30.5", nil),
      ("2026-02-01 1930.5", nil), ("31.1.26", "2026-01-31"), ("5.5.26", "2026-05-05"),
      ("Ma 1, 2026", nil), ("1/2/026", nil),
    ] as [(String, String?)])
  func `a date has one meaning or none`(_ text: String, _ day: String?) {
    let readings = WrittenTime(text)?.date.readings ?? []
    #expect(Set(readings.map(\.value.description)) == Set(day.map { [$0] } ?? []))
  }

  @Test(
    arguments: [
      ("2026-02-01T19:30:55Z", 70_255, 0), ("20260201T193055Z", 70_255, 0),
      ("20260201T1930+0100", 70_200, 60), ("2026-02-01 19:30", 70_200, nil),
      ("2026-02-01 19:30:55 +0100", 70_255, 60), ("2026-02-01 19:30:55-05:30", 70_255, -330),
      ("2026-02-01, 7:30 PM", 70_200, nil), ("Feb 1, 2026 at 7:30\u{202F}pm", 70_200, nil),
      ("2026-02-01 12:00 AM", 0, nil), ("2026-02-01 12:00 p.m.", 43_200, nil),
      ("2026-02-01 7 PM", 68_400, nil), ("2026-02-01 19:30:55 UTC", 70_255, 0),
      ("2026-02-01 19:30:55 GMT+2", 70_255, 120), ("2026-02-01T19:30:55.500+01", 70_255.5, 60),
    ] as [(String, Double, Int64?)])
  func `a time of day is read with its offset`(
    _ text: String, _ seconds: Double, _ offset: Int64?
  ) throws {
    let time = try #require(WrittenTime(text))
    #expect(time.clock == Int64(seconds * 1000) && time.offset == offset)
    #expect(time.date == .exact(Day("2026-02-01")!))
  }

  @Test(
    arguments: [
      ("D.M.YY HH:mm", "1.2.26 19:30", "2026-02-01", 70_200_000),
      ("YYYYMMDD'T'HHmmss", "20260201T193055", "2026-02-01", 70_255_000),
      ("MMM D, YYYY h:mm a", "Feb 1, 2026 7:30 PM", "2026-02-01", 70_200_000),
      ("DD MMMM YYYY", "01 February 2026", "2026-02-01", nil),
      ("M/D/YYYY", "2/1/2026", "2026-02-01", nil), ("M/D/YYYY", "2026-02-01", nil, nil),
      ("D/M/YYYY HH:mm:ss.SSS", "1/2/2026 19:30:55.5", "2026-02-01", 70_255_500),
    ] as [(String, String, String?, Int64?)])
  func `a form of the map reads exactly its spelling`(
    _ form: String, _ text: String, _ day: String?, _ clock: Int64?
  ) throws {
    let time = try #require(DateForm(form)).time(text)
    #expect(time?.date == day.flatMap { Day($0) }.map { .exact($0) })
    #expect(time?.clock == clock)
  }

  @Test(arguments: [
    "YYYY-MM", "YYYY-MM-DD DD", "D/M/YYYY hh:mm", "D/M/YYYY mm", "D/M/YYYY HH", "D/M/YYYY 'at",
    "YYYY YY M D", "D/M/YYYY Z", "YYYYMMDDTHHmm",
  ])
  func `a form that lacks or repeats a part is refused`(_ form: String) {
    #expect(DateForm(form) == nil)
  }

  // MARK: - The order of a file

  private static let weights = #"""
    {"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w-{Id}",
    "fields":{"day":"Date"}}]}
    """#

  private func file(_ dates: String...) async throws -> TextImport {
    let rows = dates.enumerated().map { "\($0.offset),\"\($0.element)\"\n" }.joined()
    return try await TextImport("Id,Date\n" + rows)
  }

  @Test func `dates that all fit two orders are refused until one is given`() async throws {
    let file = try await self.file("5/11/2026", "6/11/2026")
    #expect(
      await file.refusal(Self.weights) == """
        a.csv:2 cannot be imported: the value of "Date" depends on the order of its parts: \
        "5/11/2026" fits D/M (2026-11-05) and M/D (2026-05-11), and so do all other dates of the \
        column. Nothing was written.
        """)
    try await file.run(Self.weights, dates: .dayFirst)
    #expect(file.values("weight", "day") == ["2026-11-05", "2026-11-06"])
  }

  @Test func `one date shows the order of all, which the report states`() async throws {
    let file = try await self.file("5/11/2026", "13/11/2026", "5/5/2026")
    let report = try await file.run(Self.weights)
    #expect(file.values("weight", "day") == ["2026-11-05", "2026-11-13", "2026-05-05"])
    #expect(report.findings.count == 1)
    #expect(report.findings[0].hasSuffix("in the order D/M, as \"13/11/2026\" shows (line 3)."))
  }

  @Test func `a date in another order than that of its file is refused`() async throws {
    let file = try await self.file("13/11/2026", "11/13/2026")
    let refused = await file.refusal(Self.weights)
    #expect(refused.contains("a.csv:3"))
    #expect(refused.contains("is no date in the order D/M: \"11/13/2026\""))
    let other = await file.refusal(Self.weights, dates: .monthFirst)
    #expect(other.contains("a.csv:2"))
  }

  @Test func `a date of three short numbers may begin with its year`() async throws {
    let file = try await self.file("26/01/31")
    let refused = await file.refusal(Self.weights)
    #expect(refused.contains("fits D/M (2031-01-26) and Y/M (2026-01-31)"))
    try await file.run(Self.weights, dates: .yearFirst)
    #expect(file.values("weight", "day") == ["2026-01-31"])
  }

  @Test(arguments: [["5/5/26", "6/6/2026"], ["6/6/2026", "5/5/26"], ["6.6.2026", "05.05.26"]])
  func `dates that are the same in all possible orders are read`(_ dates: [String]) async throws {
    let file = try await self.file(dates[0], dates[1])
    #expect(try await file.run(Self.weights).findings.isEmpty)
    #expect(Set(file.values("weight", "day")) == ["2026-05-05", "2026-06-06"])
  }

  @Test func `two fields of one column have one finding`() async throws {
    let map = Self.weights.replacingOccurrences(
      of: "\"Date\"", with: #""Date","note":{"column":"Date","as":"day","undeclared":true}"#)
    let file = try await self.file("13/11/2026")
    #expect(try await file.run(map).findings.count == 1)
    #expect(file.values("weight", "note") == ["2026-11-13"])
  }

  @Test func `the order in the map counts, and dates with one meaning need none`() async throws {
    let map = Self.weights.replacingOccurrences(
      of: "{\"source\"", with: "{\"dates\":\"M/D\",\"source\"")
    let file = try await self.file("5/11/2026")
    try await file.run(map)
    #expect(file.values("weight", "day") == ["2026-05-11"])
    let other = try await self.file("5/5/2026", "2026-02-01", "1 Feb 2026")
    #expect(try await other.run(Self.weights).findings.isEmpty)
  }

  @Test func `two forms of the map that read a date differently are refused`() async throws {
    let map = Self.weights.replacingOccurrences(
      of: "\"Date\"", with: #"{"column":"Date","forms":["D/M/YYYY","M/D/YYYY"]}"#)
    let file = try await self.file("13/11/2026", "5/11/2026")
    let refused = await file.refusal(map)
    #expect(refused.contains("a.csv:3") && refused.contains("fits both D/M/YYYY and M/D/YYYY"))
  }

  // MARK: - Local times

  private static let gym = #"""
    {"source":"gym","tables":[{"files":"a.csv","kind":"reaction","key":"g-{Id}","zone":"Zone",
    "fields":{"symptom":"Exercise","day":"Date","at":"Date"},"at":"Date"}]}
    """#

  @Test func `a local time needs a zone, and its day does not`() async throws {
    let map = Self.gym.replacingOccurrences(of: #""zone":"Zone","#, with: "")
    let file = try await TextImport("Id,Date,Exercise\n1,2026-02-01 23:30,Squat\n")
    let refused = await file.refusal(map)
    #expect(refused.contains("a.csv:2") && refused.contains("depends on the zone"))
    try await file.run(map, zone: "-05:00")
    #expect(file.values("reaction", "day") == ["2026-02-01"])
    #expect(file.values("reaction", "at") == ["2026-02-02T04:30:00.000Z"])
  }

  @Test func `a column has the zone of each row`() async throws {
    let file = try await TextImport(
      """
      Id,Date,Zone,Exercise
      1,2026-02-01 12:00,+02:00,Squat
      2,2026-02-01 12:00,,Squat
      3,2026-02-01 12:00 +0100,UTC,Squat
      4,2026-02-01 12:00,+0200,Squat
      5,2026-02-01 12:00,GMT+2,Squat

      """)
    try await file.run(Self.gym, zone: "UTC")
    #expect(
      file.values("reaction", "at") == [
        "2026-02-01T10:00:00.000Z", "2026-02-01T12:00:00.000Z", "2026-02-01T11:00:00.000Z",
        "2026-02-01T10:00:00.000Z", "2026-02-01T10:00:00.000Z",
      ])
    let other = try await TextImport("Id,Date,Zone,Exercise\n1,2026-02-01 12:00,Berlni,Squat\n")
    let refused = await other.refusal(Self.gym)
    #expect(refused.contains("\"Zone\" is not the name of a time zone: \"Berlni\""))
  }

  /// Berlin's clocks in 2026: set forward on March 29 at 01:00 UTC, and back on October 25.
  private let berlin = ImportZone(name: "Berlin") { time in
    (Timestamp("2026-03-29T01:00:00Z")!..<Timestamp("2026-10-25T01:00:00Z")!).contains(time)
      ? 7200 : 3600
  }

  @Test(
    arguments: [
      ("2026-03-29T01:59:59Z", ["2026-03-29T00:59:59.000Z"], false),
      ("2026-03-29T02:30:00Z", ["2026-03-29T01:30:00.000Z"], true),
      ("2026-03-29T03:00:00Z", ["2026-03-29T01:00:00.000Z"], false),
      ("2026-10-25T02:30:00Z", ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"], false),
      ("2026-07-01T12:00:00Z", ["2026-07-01T10:00:00.000Z"], false),
    ])
  func `a time that clocks repeat or skip is found`(
    _ shown: String, _ times: [String], _ isSkipped: Bool
  ) throws {
    let found = berlin.times(whenClocksShow: try #require(Timestamp(shown)).milliseconds)
    #expect(found.times.map(\.description) == times && found.isSkipped == isSkipped)
  }

  /// Lord Howe's clocks in 2026: set forward by half an hour on October 3 at 15:30 UTC.
  private let lordHowe = ImportZone(name: "Lord Howe") { time in
    time < Timestamp("2026-10-03T15:30:00Z")! ? 37_800 : 39_600
  }

  @Test func `a remark has the duration by which a skipped time was moved`() throws {
    let map = try ImportMap(parsing: Self.gym.utf8)
    let source = try #require(map.tables[0].at)
    for (zone, text, moved) in [
      (berlin, "2026-03-29 02:30", "an hour"), (lordHowe, "2026-10-04 02:15", "30 minutes"),
    ] {
      var reader = ValueReader(source, .register(.time), .init(zone: zone))
      _ = try reader.time(.json(.string(text)))
      #expect(reader.remark == "moved by \(moved), because clocks in \(zone.name) skipped it")
    }
  }

  @Test func `times at the ends of the calendar are refused or read`() {
    for edge in [Timestamp.range.lowerBound, Timestamp.range.upperBound] {
      #expect(berlin.times(whenClocksShow: edge).times.count <= 1)
    }
  }

  @Test(arguments: ["0x10", "inf", "nan", "1e400", "-", "+", "1.2.3"])
  func `a time since an epoch is a decimal number`(_ text: String) async throws {
    let map = #"""
      {"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w-{Id}",
      "fields":{"kilograms":"Id"},"at":{"column":"Date","epoch":"unix"}}]}
      """#
    let file = try await TextImport("Id,Date\n1,\(text)\n")
    #expect(await file.refusal(map).contains("a.csv:2"))
  }
}
