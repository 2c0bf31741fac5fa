import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLogImport

/// Numbers with very many digits, or very large or small exponents.
@Suite struct NumberRangeTests {
  private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

  @Test(
    arguments: [
      ("1", "1"), ("-0.50", "-0.5"), ("0e99999999999", "0"), ("12e-3", "0.012"), ("1E+2", "100"),
      ("1e-60", "0.\(zeros(59))1"), ("1e-61", nil), ("1e60", nil),
      (String(repeating: "9", count: 38), String(repeating: "9", count: 38)),
      ("1\(zeros(37))1", nil), ("1e99999999999999999999", nil), ("1e-9223372036854775808", nil),
      ("NaN", nil), ("", nil), ("1e", nil), ("1.2.3", nil),
    ] as [(String, String?)])
  func `a decimal is read exactly, or not at all outside its range`(
    _ text: String, _ exact: String?
  ) {
    #expect(ExactDecimal(text)?.description == exact)
  }

  @Test func `a sum or product that needs too many digits is nil`() throws {
    func number(_ text: String) throws -> ExactDecimal { try #require(ExactDecimal(text)) }
    #expect(try number("0.1").adding(number("0.2"))?.description == "0.3")
    #expect(try number("1e36").adding(number("1"))?.description == "1\(Self.zeros(35))1")
    #expect(try number("1e38").adding(number("1")) == nil)
    #expect(try number("5e-60").multiplied(by: number("0.1")) == nil)
    #expect(try number("-0.5").multiplied(by: number("0.3"))?.description == "-0.15")
    let long = try number("12345678901234567891")
    #expect(long.multiplied(by: long) == nil)
    #expect(try number("1e-60").divided(by: .max).hasPrefix("0.0000"))
  }

  // MARK: - Imports

  private func map(_ value: String, _ file: String = #""files":"a.csv""#) -> String {
    """
    {"source":"scale","tables":[{\(file),"kind":"weight","key":"s-{Date}",
    "fields":{"day":"Date","kilograms":\(value)}}]}
    """
  }

  private func file(_ weight: String) async throws -> TextImport {
    try await TextImport("Date,Weight\n2026-02-01,70\n2026-02-02,\(weight)\n")
  }

  @Test(arguments: ["1e-127 g", "1e400 g", "1e61 g", "1e-400 g"])
  func `a number outside the range is refused before it's converted`(_ text: String) async throws {
    let refused = try await file(text).refusal(
      map(#"{"column":"Weight","units":{"g":0.001,"":1}}"#))
    #expect(refused.hasPrefix("a.csv:3") && refused.contains("from 1e-60 to 1e60"))
  }

  @Test(arguments: [
    ("1e-126", #","divide":1000"#), ("1e400", ""), ("1e99999999999", ""), ("1e-400", ""),
  ])
  func `a number that no reader can represent is refused and nothing is written`(
    _ text: String, _ options: String
  ) async throws {
    let refused = try await file(text).refusal(map(#"{"column":"Weight"\#(options)}"#))
    #expect(refused.hasPrefix("a.csv:3") && refused.contains("must be a number with at most"))
  }

  @Test(arguments: ["1e400", "[1,-1e-400]"])
  func `a number out of range in JSON is refused`(_ value: String) async throws {
    let map = #"{"source":"d","keys":{"a":{"kind":"settings","field":"a","as":"any"}}}"#
    let file = try await TextImport(#"{"a":\#(value)}"#, named: "a.json")
    #expect(await file.refusal(map).contains("a number out of range"))
  }

  @Test func `a sum that would lose digits is refused with its row`() async throws {
    let rule = """
      {"source":"d","tables":[{"files":"a.csv","kind":"weight","key":"w",
      "fields":{"kilograms":{"column":"kg","several":"sum","decimal":"."}}}]}
      """
    let file = try await TextImport("kg\n12345678901234567890123\n0.12345678901234567890123\n")
    #expect(await file.refusal(rule).contains("a.csv:3 cannot be imported: the sum of"))
  }

  @Test(
    arguments: [
      (#"[""]"#, "72000"), (#"{"":1,"g":0.001}"#, "72000"), (#"{"":0.001}"#, "72"),
      (#"{"kg":1}"#, nil),
    ] as [(String, String?)])
  func `a JSON number has the unit without a name`(_ units: String, _ number: String?) async throws
  {
    let file = try await TextImport(#"[{"Date":"2026-02-01","Weight":72000}]"#, named: "a.json")
    let map = map(#"{"column":"Weight","units":\#(units)}"#, "\"rows\":\"\"")
    guard let number else { return #expect(await file.refusal(map).contains("has no unit")) }
    try await file.run(map)
    #expect(file.texts("weight", "kilograms") == [number])
  }

  @Test func `a long text is cut in messages`() async throws {
    let unit = String(repeating: "g", count: 200_000)
    let refused = try await file("70 \(unit)").refusal(map(#"{"column":"Weight","units":[""]}"#))
    #expect(refused.contains("has the unit \"ggg") && refused.utf8.count < 300)
  }

  @Test func `a line that isn't an event is refused before the sync`() throws {
    var draft = EventDraft(type: "note.added")
    draft.data = JSONObject([.init(name: "n", value: .number(JSONNumber(trusted: "NaN")))])
    var lines = SourceLineWriter(
      of: DeviceID("d")!, named: "d", user: "ada", from: ImportSource(name: "d", place: ""),
      at: SourceLines.timeOfOld, after: nil, seen: [], random: JournalOptions().random)
    let error = #expect(throws: EventLogError.self) { try lines.add(draft) }
    #expect(error?.message.contains("note.added cannot be imported: its event") == true)
  }
}
