import EventLog
import Testing

@Suite struct ValueRuleTests {
  /// A rule, values that follow it and values that break it, as JSON.
  struct Case: CustomTestStringConvertible {
    let rule: ValueRule
    let kept: [String]
    let broken: [String]
    var testDescription: String { "\(rule)" }
  }

  static let cases = [
    Case(rule: .any, kept: ["0", #""""#, "[]", "{}", "false", "-1e9"], broken: []),
    Case(
      rule: .text, kept: [#""""#, #""a""#, #""1""#, #""é""#],
      broken: ["1", "true", "[]", "{}", #"["a"]"#]),
    Case(
      rule: .quantity, kept: ["0", "-0", "-0.0e5", "70.5", "1e400", "12345678901234567890"],
      broken: ["-1", "-0.001", #""70""#, "false", "[1]"]),
    Case(
      rule: .integer(1...LineLimits.sequenceMax), kept: ["1", "2", "9007199254740991"],
      broken: [
        "0", "-0", "-1", "1.0", "1e0", "9007199254740992", "12345678901234567890123", #""1""#,
        "true",
      ]),
    Case(rule: .integer(0...5), kept: ["0", "-0", "5"], broken: ["6", "-1", "0.0"]),
    Case(rule: .integer(-3...0), kept: ["-3", "0"], broken: ["-4", "1"]),
    Case(rule: .boolean, kept: ["true", "false"], broken: ["0", "1", #""true""#]),
    Case(
      rule: .date,
      kept: [#""2026-01-28""#, #""2024-02-29""#, #""2000-02-29""#, #""0000-01-01""#],
      broken: [
        #""2026-02-29""#, #""1900-02-29""#, #""2026-02-30""#, #""2026-13-01""#, #""2026-00-10""#,
        #""2026-01-00""#, #""2026-1-1""#, #""26-01-01""#, #""2026-01-28T00:00:00Z""#, #""""#,
        #"" 2026-01-28""#, "20260128", #""２０２６-01-28""#,
      ]),
    Case(
      rule: .schedule, kept: [#""1/1""#, #""3/7""#, #""366/366""#, #""1/366""#],
      broken: [
        #""0/1""#, #""2/1""#, #""1/367""#, #""1/0""#, #""1""#, #""1/2/3""#, #""+1/2""#, #""01/2""#,
        #""1/ 2""#, #""/""#, #""""#, "1", #""-1/2""#, #""1/99999999999999999999""#,
      ]),
    Case(
      rule: .attachment,
      kept: [
        attachment(), attachment(bytes: "0"), attachment(more: #","name":"soup.jpg""#),
        attachment(more: #","later":[1]"#),
      ],
      broken: [
        "{}", "[]", #""a""#, attachment(hash: "a"), attachment(hash: digits.uppercased()),
        attachment(hash: digits + "a"), attachment(bytes: "-1"), attachment(bytes: "1.0"),
        attachment(bytes: #""1""#), attachment(bytes: "null"), attachment(type: ""),
        attachment(more: #","name":1"#), attachment(more: #","name":null"#),
      ]),
  ]

  private static let digits = String(repeating: "a0", count: 32)

  private static func attachment(
    hash: String = digits, bytes: String = "12", type: String = "image/png", more: String = ""
  ) -> String {
    #"{"sha256":"\#(hash)","bytes":\#(bytes),"type":"\#(type)"\#(more)}"#
  }

  @Test(arguments: cases) func `a value is accepted exactly if it follows the rule`(test: Case) {
    for text in test.kept { #expect(test.rule.accepts(.spelled(text)), "\(text)") }
    for text in test.broken { #expect(!test.rule.accepts(.spelled(text)), "\(text)") }
  }

  @Test(arguments: cases) func `null is accepted by every rule`(test: Case) {
    #expect(test.rule.accepts(.null))
  }

  @Test func `a rule describes its values`() {
    #expect(
      ValueRule.integer(1...LineLimits.sequenceMax).phrase
        == "a whole number from 1 to 9007199254740991")
    #expect(ValueRule.integer(0...10).phrase == "a whole number from 0 to 10")
    #expect(
      ValueRule.schedule.phrase == "<times>/<days>, for example 3/7, with days up to 366")
  }

  // MARK: - Typed values

  @Test func `a text rule reads any input as text`() {
    #expect(ValueRule.text.read("70") == "70")
    #expect(ValueRule.text.read("true") == "true")
    #expect(ValueRule.text.read("") == "")
    #expect(ValueRule.text.read("null") == "null")
  }

  @Test func `a number rule reads only numbers that follow it`() {
    #expect(ValueRule.integer(1...9).read("7") == 7)
    #expect(ValueRule.integer(1...9).read("7.0") == nil)
    #expect(ValueRule.integer(1...9).read("0") == nil)
    #expect(ValueRule.integer(1...9).read("null") == nil, "null has its own spelling, FIELD:=null")
    #expect(ValueRule.quantity.read("1.50")?.text == "1.50", "as it was typed")
    #expect(ValueRule.quantity.read("-1") == nil)
    #expect(ValueRule.quantity.read("seventy") == nil)
    #expect(ValueRule.quantity.read("") == nil)
  }

  @Test func `dates, schedules and booleans are read by their rule`() {
    #expect(ValueRule.date.read("2026-01-28") == "2026-01-28")
    #expect(ValueRule.date.read("2026-02-30") == nil)
    #expect(ValueRule.schedule.read("3/7") == "3/7")
    #expect(ValueRule.schedule.read("7/3") == nil)
    #expect(ValueRule.boolean.read("true") == true)
    #expect(ValueRule.boolean.read("yes") == nil)
    #expect(ValueRule.boolean.read("1") == nil)
  }

  @Test func `a rule for any value reads numbers and booleans, and everything else as text`() {
    #expect(ValueRule.any.read("70") == 70)
    #expect(ValueRule.any.read("7e1")?.text == "7e1")
    #expect(ValueRule.any.read("false") == false)
    #expect(ValueRule.any.read("null") == "null")
    #expect(ValueRule.any.read("[1]") == "[1]")
    #expect(ValueRule.any.read(#""quoted""#) == #""quoted""#)
    #expect(ValueRule.any.read("007") == "007")
    #expect(ValueRule.any.read("") == "")
  }
}
