import Testing

@testable import EventLog

@Suite struct JSONValueTests {
  private static func parse(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: text.utf8)
  }

  /// Values in one row are equal; values in different rows are not.
  static let classes: [[String]] = [
    ["null"], ["true"], ["false"], ["0", "-0", "0.0", "0e7"], ["70", "70.0", "7e1", " 70 "],
    [#""70""#], [#""""#], [#""a""#, #""\u0061""#], [#""A""#],
    ["\"\u{E9}\"", #""\u00e9""#, #""\u00E9""#], ["\"e\u{301}\"", #""e\u0301""#],
    ["\"\u{C5}\""], ["\"\u{212B}\""], ["\"\u{1F600}\"", #""\ud83d\ude00""#],
    [#""\n""#, #""\u000a""#, #""\u000A""#], [#""/""#, #""\/""#], [#""null""#],
    ["[]", "[ ]"], ["{}", "{ }"], ["[[]]"], ["[{}]"], ["[null]"],
    ["[1,2]", "[1.0,2e0]"], ["[2,1]"], ["[1]"],
    [#"{"a":1,"b":2}"#, #"{"b":2,"a":1.0}"#, #"{"\u0062":2,"a":1}"#], [#"{"a":1}"#],
    [#"{"a":2,"b":1}"#], [#"{"a":1,"c":2}"#], [#"{"a":null}"#], [#"{"b":null}"#],
    ["{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{E9}\":1}"],
    ["{\"\u{E9}\":2,\"e\u{301}\":1}"], [#"{"a":{"b":[{"c":1}]}}"#, #"{"a":{"b":[{"c":1.0}]}}"#],
  ]

  @Test func `values compare by bytes, decimal value, array order and member names`() throws {
    let all = try Self.classes.enumerated().flatMap { index, row in
      try row.map { (index, try Self.parse($0)) }
    }
    for (left, leftValue) in all {
      for (right, rightValue) in all {
        #expect((leftValue == rightValue) == (left == right), "\(leftValue) and \(rightValue)")
        if left == right { #expect(leftValue.hashValue == rightValue.hashValue) }
      }
    }
  }

  @Test func `members are equal only if the bytes of their names are`() {
    let composed = JSONObject.Member(name: "\u{E9}", value: 1)
    let decomposed = JSONObject.Member(name: "e\u{301}", value: 1)
    #expect(composed != decomposed)
    #expect(
      composed == JSONObject.Member(name: "\u{E9}", value: .number(JSONNumber(trusted: "1.0"))))
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test(arguments: [
    "null", "[1,2.50,-0,1E+9]", #"{"b":{"a":[]},"a":"\n\u001f\"\\/"}"#,
    "{\"\u{6771}\":\"\u{1F600}\",\"\":{}}", "\"\u{FEFF}\u{2028}\u{7F}\"",
  ])
  func `a value round-trips with its member order and number spelling`(text: String) throws {
    #expect(try Self.parse(text).text == text)
  }

  @Test func `a Swift literal makes the JSON value it spells`() throws {
    let value: JSONValue = ["a": [1, "x", true, .null], "b": [:]]
    #expect(try value == Self.parse(#"{"a":[1,"x",true,null],"b":{}}"#))
    #expect(value.text == #"{"a":[1,"x",true,null],"b":{}}"#)
  }

  @Test func `a refusal reports the byte of the fault`() {
    #expect(throws: LineFault(.malformed, at: 3)) { try Self.parse("[1,]") }
    #expect(throws: LineFault(.duplicateMember, at: 7)) { try Self.parse(#"{"a":1,"\u0061":1}"#) }
    #expect(throws: LineFault(.invalidUTF8, at: 1)) { try JSONValue(parsing: [0x22, 0xC0, 0x22]) }
  }

  @Test func `an object finds, replaces and removes members by the bytes of their names`() {
    var object = JSONObject([
      .init(name: "\u{E9}", value: 1), .init(name: "e\u{301}", value: 2),
      .init(name: "\u{E9}", value: 3),
    ])
    #expect(object.members.map(\.value) == [3, 2])
    #expect(object["e\u{301}"] == 2)
    object["\u{E9}"] = nil
    #expect(object["\u{E9}"] == nil)
    #expect(object["e\u{301}"] == 2)
    object["x"] = nil
    object["y"] = 4
    #expect(object.members.count == 2)
  }

  @Test func `a number is an integer if it is spelled as one that fits`() {
    for (text, expected) in [
      ("0", 0), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
    ] as [(String, Int64)] {
      #expect(JSONNumber(trusted: text).integer == expected)
    }
    for text in ["1.0", "1e0", "9223372036854775808", "0.5"] {
      #expect(JSONNumber(trusted: text).integer == nil)
    }
    #expect(JSONNumber(-7).text == "-7")
    #expect(JSONNumber(trusted: "25e-1").double == 2.5)
  }

  /// Reading must restore each value and its text, to the byte.
  @Test func `random values round-trip`() throws {
    var random = FormatRandom.generator("JSONValue")
    for _ in 0..<Rounds.of(300) {
      let value = Self.random(depth: 0, using: &random)
      let text = value.text
      let reparsed = try Self.parse(text)
      #expect(reparsed == value)
      #expect(reparsed.text == text)
      #expect(JSONValue(canonical: Array(text.utf8)[...]) == value)
    }
  }

  private static func random(depth: Int, using random: inout SplitMix64) -> JSONValue {
    func text() -> String {
      let scalars: [Unicode.Scalar] = [
        "\"", "\\", "\0", "\n", "\u{1F}", "/", "a", "\u{E9}", "\u{301}", "\u{1F600}",
      ]
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        text.append(scalars.randomElement(using: &random)!)
      }
      return String(text)
    }
    switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .number(JSONNumber(Int64.random(in: .min ... .max, using: &random)))
    case 3: return .number(JSONNumber(trusted: "-0.\(UInt8.random(in: 0...99, using: &random))E+3"))
    case 4, 5: return .string(text())
    case 6:
      return .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          self.random(depth: depth + 1, using: &random)
        })
    default:
      return .object(
        JSONObject(
          (0..<Int.random(in: 0...4, using: &random)).map { _ in
            JSONObject.Member(name: text(), value: self.random(depth: depth + 1, using: &random))
          }))
    }
  }
}
