import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLogImport

/// Numbers in the spellings of exports.
@Suite struct NumberTests {
  @Test(
    arguments: [
      ("72", "72", "72"), ("72.5", "72.5", nil), ("72,5", nil, "72.5"), ("-3", "-3", "-3"),
      ("\u{2212}3", "-3", "-3"), ("+3", "3", "3"), ("007", "7", "7"), ("-0", "0", "0"),
      ("1,234", "1234", "1.234"), ("1.234", "1.234", "1234"), ("0.125", "0.125", nil),
      ("1,234.5", "1234.5", nil), ("1.234,5", nil, "1234.5"), ("1,234,567", "1234567", nil),
      ("12,34,567", "1234567", nil), ("1'234.5", "1234.5", nil), ("1 234,5", nil, "1234.5"),
      ("1\u{202F}234", "1234", "1234"), ("1\u{A0}234\u{A0}567", "1234567", "1234567"),
      (".5", "0.5", nil), ("1e3", "1e3", "1e3"), (" 5 ", "5", "5"), ("1234,567", nil, "1234.567"),
      ("0x10", nil, nil), ("5.", nil, nil), ("", nil, nil), ("-", nil, nil), ("1,2,3", nil, nil),
      ("1 23", nil, nil), ("1.2.3", nil, nil), ("inf", nil, nil), ("--1", nil, nil),
      ("1-2", nil, nil), ("1,234 567", nil, nil),
    ] as [(String, String?, String?)])
  func `a number has the meaning of its decimal mark`(
    _ text: String, _ point: String?, _ comma: String?
  ) {
    func plain(_ mark: DecimalMark) -> String? {
      WrittenNumber(text, mark).flatMap { $0.unit.isEmpty ? $0.text : nil }
    }
    #expect(plain(.point) == point)
    #expect(plain(.comma) == comma)
  }

  @Test(arguments: [
    ("72.5 kg", "72.5", "kg"), ("72.5kg", "72.5", "kg"), ("$5", "5", "$"), ("-$5", "-5", "$"),
    ("\u{20AC} -5", "-5", "\u{20AC}"), ("50 %", "50", "%"), ("9 km/h", "9", "km/h"),
    ("0x10", "0", "x10"), ("5 m2", "5", "m2"),
  ])
  func `a unit precedes or follows a number`(_ text: String, _ number: String, _ unit: String) {
    let written = WrittenNumber(text, .point)
    #expect(written?.text == number && written?.unit == unit)
  }

  @Test(
    arguments: [
      ("de", .comma), ("de_DE.UTF-8", .comma), ("de-CH", .point), ("en", .point), ("EN-us", .point),
      ("es-MX", .point), ("es", .comma), ("sr-Latn-RS", .comma), ("xx", nil), ("", nil),
    ] as [(String, DecimalMark?)])
  func `a locale has a decimal mark`(_ locale: String, _ mark: DecimalMark?) {
    #expect(DecimalMark(locale: locale) == mark)
  }

  // MARK: - Columns

  private func map(_ value: String = #"{"column":"Weight"}"#) -> String {
    """
    {"source":"scale","tables":[{"files":"a.csv","kind":"weight","key":"s-{Date}",
    "fields":{"day":"Date","kilograms":\(value)}}]}
    """
  }

  private func file(_ weights: String...) async throws -> TextImport {
    let rows = weights.enumerated().map { "2026-02-0\($0.offset + 1),\"\($0.element)\"\n" }.joined()
    return try await TextImport("Date,Weight\n" + rows)
  }

  @Test func `a number with two meanings is refused until the mark is given`() async throws {
    let file = try await file("1,050", "98")
    #expect(
      await file.refusal(map()) == """
        a.csv:2 cannot be imported: the value of "Weight" depends on the decimal mark: "1,050" is \
        1050 or 1.050, and no other number of the column shows which. Nothing was written.
        """)
    try await file.run(map(), decimalMark: .point)
    #expect(file.texts("weight", "kilograms") == ["1050", "98"])
    let other = try await self.file("1,050")
    try await other.run(map(#"{"column":"Weight","decimal":","}"#))
    #expect(other.texts("weight", "kilograms") == ["1.050"])
  }

  @Test func `one number shows the mark of all, which the report states`() async throws {
    let german = try await file("72", "1.050", "72,5")
    let report = try await german.run(map())
    #expect(german.texts("weight", "kilograms") == ["72", "1050", "72.5"])
    #expect(report.findings.count == 1)
    #expect(report.findings[0].hasSuffix("a decimal comma, as \"72,5\" shows (line 4)."))
    let english = try await file("72.5", "1,050")
    #expect(try await english.run(map()).findings.count == 1)
    #expect(english.texts("weight", "kilograms") == ["72.5", "1050"])
    let plain = try await file("72.5", "61")
    #expect(try await plain.run(map()).findings.isEmpty)
  }

  @Test func `a number with another mark than its column is refused with its line`() async throws {
    let refused = await (try file("72.5", "71,5")).refusal(map())
    #expect(refused.contains("a.csv:3") && refused.contains("a number with a decimal point"))
  }

  @Test func `a hexadecimal number is refused, as a whole one, too`() async throws {
    #expect(
      await (try file("0x10")).refusal(map()).contains(
        "must be a decimal number, which \"0x10\" is not"))
    let whole = map(#"{"column":"Weight","as":"whole","round":true}"#)
    #expect(
      await (try file("0x1p4")).refusal(whole).contains(
        "must be a decimal number, which \"0x1p4\" is not"))
  }

  @Test func `units are left out or converted, and others refused`() async throws {
    let units = map(#"{"column":"Weight","units":{"kg":1,"lb":0.45359237}}"#)
    let mixed = try await file("72.5 kg", "100 lb")
    try await mixed.run(units)
    #expect(mixed.texts("weight", "kilograms") == ["72.5", "45.359237"])
    #expect(await (try file("72.5")).refusal(units).contains("has no unit"))
    let list = map(#"{"column":"Weight","units":["kg"]}"#)
    let same = try await file("72.5 kg", "61")
    try await same.run(list)
    #expect(same.texts("weight", "kilograms") == ["72.5", "61"])
    #expect(await (try file("11 st")).refusal(list).contains("has the unit \"st\""))
    #expect(await (try file("72.5 kg")).refusal(map()).contains("a.csv:2"))
  }

  @Test func `a number with a mark in a set of keys has one meaning or is refused`() async throws {
    let map = #"{"source":"a","keys":{"A":{"kind":"settings","field":"a","as":"number"}}}"#
    let clear = try await TextImport(#"{"A":"72,5"}"#, named: "a.json")
    try await clear.run(map)
    #expect(clear.phone.store.snapshot.singleton("settings").first?.shown?.text == "72.5")
    let unclear = try await TextImport(#"{"A":"1,234"}"#, named: "a.json")
    #expect(await unclear.refusal(map).contains("the key \"A\" cannot be imported"))
    // JSON's own numbers have one meaning.
    let number = try await TextImport(#"{"A":1.234}"#, named: "a.json")
    try await number.run(map)
    #expect(number.phone.store.snapshot.singleton("settings").first?.shown?.text == "1.234")
  }

  @Test(arguments: [#"{"lb":0}"#, #"{"lb":"1"}"#, #"{"lb":-1}"#, "[1]"])
  func `a unit needs a factor above zero`(_ units: String) {
    let text = map(#"{"column":"Weight","units":\#(units)}"#)
    #expect(throws: EventLogError.self) { try ImportMap(parsing: text.utf8) }
  }
}
