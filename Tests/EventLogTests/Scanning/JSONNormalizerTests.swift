import Testing

@testable import EventLog

@Suite struct JSONNormalizerTests {
  /// The canonical text of `text`, or its fault.
  private static func normalize(_ text: [UInt8]) -> Result<String, LineFault> {
    text.withUnsafeBufferPointer { buffer in
      do throws(LineFault) {
        try JSONNormalizer.checkEncoding(buffer)
        var reader = JSONNormalizer(buffer)
        try reader.value(depth: 1)
        try reader.skipWhitespace()
        guard reader.isAtEnd else { throw reader.unexpected() }
        return .success(String(decoding: reader.output, as: UTF8.self))
      } catch { return .failure(error) }
    }
  }

  private static func normalize(_ text: String) -> Result<String, LineFault> {
    normalize(Array(text.utf8))
  }

  @Test(arguments: [
    ("null", "null"), (" true\t", "true"), ("\r\nfalse\n", "false"), ("0", "0"), ("-0", "-0"),
    ("70.0", "70.0"), ("7E+1", "7E+1"), ("-1.5e-10", "-1.5e-10"), (#""""#, #""""#),
    (#""\u0061\/\u00E9\u000a""#, #""a/é\n""#), (#""\ud83d\ude00""#, #""😀""#),
    (#""\u0022\u005c\u007f""#, "\"\\\"\\\\\u{7F}\""), ("[ ]", "[]"), ("{ }", "{}"),
    ("[ 1 , [ ] , { } ]", "[1,[],{}]"), (#"{ "b" : 1 , "a" : [ null ] }"#, #"{"b":1,"a":[null]}"#),
    ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
    (#"{"":{"":""}}"#, #"{"":{"":""}}"#),
  ])
  func `JSON is rewritten in canonical spelling`(text: String, expected: String) {
    #expect(Self.normalize(text) == .success(expected))
    #expect(Self.normalize(expected) == .success(expected))
  }

  @Test(
    arguments: [
      ("", .truncated, 0), (" ", .truncated, 1), ("{", .truncated, 1), ("[1,", .truncated, 3),
      (#""a"#, .truncated, 2), (#""\"#, .truncated, 2), (#""\u12"#, .truncated, 5),
      ("-", .truncated, 1), ("1.", .truncated, 2), ("1e", .truncated, 2), ("tr", .truncated, 2),
      ("}", .malformed, 0), ("[1,]", .malformed, 3), (#"{"a":1,}"#, .malformed, 7),
      ("01", .malformed, 1), ("+1", .malformed, 0), (".5", .malformed, 0), ("1.e1", .malformed, 2),
      ("1e+x", .malformed, 3), ("--1", .malformed, 1), ("nul1", .malformed, 3),
      ("'a'", .malformed, 0), (#""\a""#, .malformed, 2), (#""\u00g0""#, .malformed, 5),
      ("1 2", .malformed, 2), ("{1:2}", .malformed, 1), (#"{"a"}"#, .malformed, 4),
      ("\u{A0}1", .malformed, 0), (#"{"a":1 "b":2}"#, .malformed, 7),
      ("\u{B}1", .controlCharacter, 0), ("[\u{0}]", .controlCharacter, 1),
      ("\"\t\"", .controlCharacter, 1), ("\"\u{1F}\"", .controlCharacter, 1),
      (#""\ud800""#, .loneSurrogate, 1), (#""a\udc00""#, .loneSurrogate, 2),
      (#""\ud83d\ud83d\ude00""#, .loneSurrogate, 1), (#""\ud83dx""#, .loneSurrogate, 1),
      (#"{"a":1,"\u0061":2}"#, .duplicateMember, 7),
      (#"[{"x":{"b":1,"b":1}}]"#, .duplicateMember, 13),
      ("\u{FEFF}1", .byteOrderMark, 0),
    ] as [(String, LineFault.Code, Int)])
  func `invalid JSON is refused at its first invalid byte`(
    text: String, code: LineFault.Code, byte: Int
  ) {
    #expect(Self.normalize(text) == .failure(LineFault(code, at: byte)))
  }

  @Test func `invalid UTF-8 is refused inside and outside a string`() {
    #expect(Self.normalize([0x22, 0xFF, 0x22]) == .failure(LineFault(.invalidUTF8, at: 1)))
    #expect(Self.normalize([0x31, 0xC3]) == .failure(LineFault(.invalidUTF8, at: 1)))
  }

  @Test(arguments: ["[", "{\"a\":"])
  func `nesting is accepted to depth 64 and refused at 65`(opening: String) {
    let isArray = opening == "["
    func nested(_ depth: Int) -> String {
      String(repeating: opening, count: depth - 1) + (isArray ? "[]" : "{}")
        + String(repeating: isArray ? "]" : "}", count: depth - 1)
    }
    #expect(Self.normalize(nested(64)) == .success(nested(64)))
    let fault = LineFault(.tooDeep, at: opening.utf8.count * 64)
    #expect(Self.normalize(nested(65)) == .failure(fault))
    #expect(Self.normalize(nested(100_000)) == .failure(fault))
  }

  @Test func `every proper prefix of a text is refused without a trap`() {
    let text = Array(#"{"a":[1.5e-3,"\u00e9\ud83d\ude00",true,null,{"b":-0}],"c":"\n"}"#.utf8)
    #expect(Self.normalize(text) != .failure(LineFault(.truncated, at: 0)))
    for count in 0..<text.count {
      let result = Self.normalize(Array(text[..<count]))
      guard case .failure(let fault) = result else {
        Issue.record("accepted \(count) bytes")
        continue
      }
      #expect(fault.byte <= count)
      #expect(fault.code == .truncated || fault.code == .loneSurrogate)
    }
  }
}
