import Testing

@testable import EventLog

@Suite struct TimestampScannerTests {
  /// Scans `text` with a new memo.
  private static func scan(_ text: String) -> Int64? {
    var dates = DateMemo()
    return scan(text, &dates)
  }

  private static func scan(_ text: String, _ dates: inout DateMemo) -> Int64? {
    Array(text.utf8).withUnsafeBufferPointer {
      TimestampScanner.scan($0.baseAddress!, dates: &dates)
    }
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0), ("1970-01-01T00:00:00.001Z", 1),
      ("1969-12-31T23:59:59.999Z", -1), ("2026-01-28T09:12:33.123Z", 1_769_591_553_123),
      ("2000-02-29T12:34:56.789Z", 951_827_696_789),
      ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
      ("0000-02-29T23:59:59.999Z", -62_162_035_200_001),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)])
  func `a valid time is read as milliseconds since 1970`(text: String, milliseconds: Int64) {
    #expect(Self.scan(text) == milliseconds)
    #expect(Timestamp(text)?.milliseconds == milliseconds)
    #expect(Timestamp(trusted: milliseconds).description == text)
  }

  @Test func `a time with any changed byte is refused or read as spelled`() {
    let text = Array("2026-10-28T19:12:33.123Z".utf8)
    for index in text.indices {
      for byte in UInt8.min ... .max where byte != text[index] {
        var changed = text
        changed[index] = byte
        let spelled = String(decoding: changed, as: UTF8.self)
        var dates = DateMemo()
        let found = changed.withUnsafeBufferPointer {
          TimestampScanner.scan($0.baseAddress!, dates: &dates)
        }
        if let found { #expect(Timestamp(trusted: found).description == spelled) }
        if !(0x30...0x39).contains(byte) { #expect(found == nil, "\(spelled)") }
      }
    }
  }

  @Test func `every minute of a day is read at several seconds`() {
    var dates = DateMemo()
    var expected: Int64 = 1_769_558_400_000
    func pair(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for hour in 0..<24 {
      for minute in 0..<60 {
        for second in stride(from: minute % 7, to: 60, by: 7) {
          let time = "\(pair(hour)):\(pair(minute)):\(pair(second))"
          expected = 1_769_558_400_000 + Int64((hour * 60 + minute) * 60 + second) * 1000
          if Self.scan("2026-01-28T\(time).000Z", &dates) != expected { Issue.record("\(time)") }
        }
      }
    }
  }

  @Test func `the memo of the last date doesn't affect other dates`() {
    var dates = DateMemo()
    let zeros = String(repeating: "\0", count: 10) + "T09:12:33.123Z"
    #expect(Self.scan(zeros, &dates) == nil)
    #expect(Self.scan("1970-01-01T00:00:00.005Z", &dates) == 5)
    #expect(Self.scan("2026-01-28T09:12:33.123Z", &dates) == 1_769_591_553_123)
    #expect(Self.scan("2026-01-38T09:12:33.123Z", &dates) == nil)
    #expect(Self.scan("2026-01-29T09:12:33.123Z", &dates) == 1_769_677_953_123)
    #expect(Self.scan("2026-01-28T09:12:33.123Z", &dates) == 1_769_591_553_123)
    #expect(Self.scan("2025-01-28T09:12:33.123Z", &dates) == 1_738_055_553_123)
    #expect(Self.scan(zeros, &dates) == nil)
  }
}

@Suite struct CivilDayTests {
  @Test func `every day of ten thousand years converts to its number and back`() {
    var number = Int32(CivilDay.number(year: 0, month: 1, day: 1)!)
    #expect(number == -719_528)
    for year in 0...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for month in 1...12 {
        for day in 1...lengths[month - 1] {
          let parts = CivilDay.components(of: Int(number))
          if CivilDay.number(year: year, month: month, day: day) != number
            || parts != (year, month, day)
          {
            Issue.record("\(year)-\(month)-\(day) is \(number), which is \(parts)")
            return
          }
          number += 1
        }
        #expect(CivilDay.number(year: year, month: month, day: lengths[month - 1] + 1) == nil)
      }
    }
    #expect(number == 2_932_897)
  }

  @Test func `an invalid date has no day number`() {
    for (year, month, day) in [
      (-1, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, -1),
      (2026, 1, 32), (1900, 2, 29),
    ] {
      #expect(CivilDay.number(year: year, month: month, day: day) == nil)
    }
    #expect(CivilDay.number(year: 2000, month: 2, day: 29) != nil)
  }

  @Test func `a date is scanned only if ten bytes are available`() {
    let bytes = Array("x2026-01-28".utf8)
    func day(at start: Int) -> Int32? { CivilDay.scan(bytes.span, at: start) }
    #expect(day(at: 1) == 20_481)
    for start in [-1, 0, 2, 11, 12, Int.max - 10] { #expect(day(at: start) == nil) }
  }
}
