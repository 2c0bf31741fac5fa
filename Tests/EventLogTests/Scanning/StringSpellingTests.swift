import Testing

@testable import EventLog

@Suite struct StringSpellingTests {
  @Test func `every byte has the spelling that the format specifies`() {
    let short: [UInt8: String] = [
      0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: "\\\"", 0x5C: "\\\\",
    ]
    for byte in UInt8.min ... .max {
      let spelled = StringSpelling.spelled([byte])
      let expected: [UInt8] =
        if let escape = short[byte] {
          Array(escape.utf8)
        } else if byte < 0x20 {
          Array("\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0xF, radix: 16))".utf8)
        } else {
          [byte]
        }
      #expect(spelled == expected, "\(byte)")
      #expect(StringSpelling.unescaped(spelled) == [byte])
    }
  }

  @Test func `an escape is canonical exactly if a writer would write it`() {
    var canonical: Set<[UInt8]> = []
    for byte in UInt8.min ... .max {
      let spelled = StringSpelling.spelled([byte])
      if spelled.count > 1 { canonical.insert(spelled) }
    }
    #expect(canonical.count == 34)
    // All two-byte escapes, and all six-byte escapes that start like a canonical one.
    for second in UInt8.min ... .max {
      check([0x5C, second, 0x30, 0x30, 0x30, 0x30], canonical)
      for index in 2..<6 {
        var escape = Array("\\u0010".utf8)
        escape[index] = second
        check(escape, canonical)
        for last in UInt8.min ... .max {
          escape[5] = last
          check(escape, canonical)
        }
      }
    }
  }

  private func check(_ escape: [UInt8], _ canonical: Set<[UInt8]>) {
    let length = escape.withUnsafeBufferPointer {
      StringSpelling.canonicalEscapeLength($0.baseAddress!)
    }
    let isLong = escape[1] == UInt8(ascii: "u")
    let isExpected = canonical.contains(isLong ? escape : Array(escape[..<2]))
    let expected = isExpected ? (isLong ? 6 : 2) : 0
    if length != expected { Issue.record("\(escape): \(length)") }
  }

  @Test(arguments: [
    ("", 0), ("\"", 0), ("a\"b\"", 1), ("a\\\"b\"c", 4), ("\\\\\"a", 2), ("\\\\\\\"\"", 4),
    ("open", 4), ("open\\\"", 6), ("open\\", 5), ("\\\"\\\"\\\"\"", 6),
  ])
  func `a string ends at its first unescaped quote`(_ text: String, _ end: Int) {
    let bytes = Array(text.utf8)
    #expect(StringSpelling.end(of: bytes[...]) == end)
    // Bytes before and after the slice don't matter.
    let inside = Array("\"\\".utf8) + bytes + Array("\"".utf8)
    #expect(StringSpelling.end(of: inside[2..<(2 + bytes.count)]) == end + 2)
  }

  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("\\n\u{E9}\\\"", "\n\u{E9}\""), ("\\u0001", "\u{1}"),
  ])
  func `a spelling is read as text`(_ spelling: String, _ text: String) {
    let bytes = Array("\\".utf8) + Array(spelling.utf8) + Array("\\".utf8)
    let read = StringSpelling.text(bytes[1..<(bytes.count - 1)])
    #expect(read.utf8.elementsEqual(text.utf8))
  }

  @Test func `random ASCII bytes round-trip through their spelling`() {
    var random = FormatRandom.generator("StringSpelling")
    for _ in 0..<Rounds.of(1000) {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...0x7F, using: &random) }
      let spelled = StringSpelling.spelled(bytes)
      #expect(StringSpelling.unescaped(spelled) == bytes)
      #expect(!spelled.contains { $0 < 0x20 })
    }
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 2), ("😀", 1), ("\\n", 1), ("\\u0001", 1),
    ("a\\\"\\\\b", 4), ("東京\\u001f😀", 4),
  ])
  func `characters are counted as Unicode scalar values`(spelling: String, count: Int) {
    let bytes = Array(spelling.utf8) + [0]
    let found = bytes.withUnsafeBufferPointer {
      StringSpelling.characterCount($0.baseAddress!, ByteRange(0, bytes.count - 1))
    }
    #expect(found == count)
  }

  @Test func `a truncated spelling is read without a trap`() {
    for cut in ["\\", "\\u", "\\u0", "\\u00", "\\u001"] {
      #expect(StringSpelling.unescaped(Array(cut.utf8)).count <= 1)
    }
  }
}
