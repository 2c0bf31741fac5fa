import EventLog
import Testing

@Suite struct DigitsTests {
  private func digits(_ number: Int64, _ width: Int = 1) -> String {
    var output = Array("#".utf8)
    output.append(digitsOf: number, width: width)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `digits are padded with zeros to the width`() {
    for number: Int64 in [0, 1, 9, 10, 99, 100, 12_345, .max] {
      #expect(digits(number) == "#\(number)")
    }
    #expect(digits(7, 2) == "#07")
    #expect(digits(0, 3) == "#000")
    #expect(digits(1234, 2) == "#1234")
  }

  @Test func `formatting an out-of-range timestamp doesn't trap`() {
    #expect(digits(-42) == "#42")
    #expect(digits(.min) == "#9223372036854775808")
    #expect(!Timestamp(trusted: Timestamp.range.lowerBound - 86_400_000).description.isEmpty)
  }

  @Test func `equal strings with different bytes are distinguished`() {
    #expect("e\u{301}" == "\u{E9}")
    #expect(!"e\u{301}".hasBytes(of: "\u{E9}"))
    // The same number of bytes, in another order.
    #expect("a\u{323}\u{307}" == "a\u{307}\u{323}")
    #expect(!"a\u{323}\u{307}".hasBytes(of: "a\u{307}\u{323}"))
    #expect("name".hasBytes(of: "name") && "".hasBytes(of: ""))
    #expect(!"name".hasBytes(of: "names") && !"".hasBytes(of: "n"))
  }

  @Test func `strings are ordered by their bytes, a prefix first`() {
    let texts = ["", "a", "e\u{301}", "name", "name 2", "z", "\u{E9}", "\u{FF5E}", "\u{1F600}"]
    for (index, text) in texts.enumerated() {
      for (otherIndex, other) in texts.enumerated() {
        #expect(text.precedes(other) == (index < otherIndex), "\(text) \(other)")
        #expect(text.precedes(other) == text.utf8.lexicographicallyPrecedes(other.utf8))
        let (bytes, others) = (Array(text.utf8), Array(other.utf8))
        #expect(bytes.precedes(others) == (index < otherIndex))
        #expect(bytes[...].precedes(others[...]) == (index < otherIndex))
      }
    }
  }

  @Test func `a text is found at any position`() {
    let bytes = Array("ababac".utf8)
    for text in ["", "a", "c", "abac", "bab", "ababac"] {
      #expect(bytes.containsBytes(of: text), "\(text)")
    }
    for text in ["abb", "ca", "acc", "ababaca", "d"] {
      #expect(!bytes.containsBytes(of: text), "\(text)")
    }
    #expect([UInt8]().containsBytes(of: "") && ![UInt8]().containsBytes(of: "a"))
  }
}
