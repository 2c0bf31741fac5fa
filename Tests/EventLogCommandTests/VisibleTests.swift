import Testing

@testable import EventLogCommand

/// Escaping of text for a terminal.
@Suite struct VisibleTests {
  @Test(arguments: [
    ("", ""), ("plain ~ text", "plain ~ text"), ("Müsli 食べる", "Müsli 食べる"),
    ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[31mred", #"\u001b[31mred"#),
    ("\u{7F}\u{85}\u{9B}", #"\u007f\u0085\u009b"#), ("\u{0}", #"\u0000"#),
    // Overrides, isolates and marks of the writing direction.
    ("a\u{202E}b\u{202C}", #"a\u202eb\u202c"#), ("\u{2066}\u{2069}", #"\u2066\u2069"#),
    ("\u{200E}\u{200F}\u{61C}", #"\u200e\u200f\u061c"#),
    ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{FFF9}", #"\ufff9"#),
    ("a\u{200B}b\u{FEFF}\u{AD}\u{2060}", #"a\u200bb\ufeff\u00ad\u2060"#),
    ("\u{3164}\u{115F}\u{34F}", #"\u3164\u115f\u034f"#), ("\u{E0041}", #"\udb40\udc41"#),
    // Characters that a script or an emoji needs stay.
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क्\u{200D}ष", "क्\u{200D}ष"),
    ("👩\u{200D}👧", "👩\u{200D}👧"), ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
    ("❤\u{FE0F}", "❤\u{FE0F}"),
    ("a\u{200D}b", #"a\u200db"#), ("\u{200D}", #"\u200d"#), ("1\u{200D}2", #"1\u200d2"#),
    ("e\u{301}", "e\u{301}"), ("漢\u{200C}字", #"漢\u200c字"#), ("한\u{200D}글", #"한\u200d글"#),
    ("1\u{FE0F}", #"1\ufe0f"#), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
    ("a\u{2800}b", #"a\u2800b"#),
  ])
  func `invisible characters are escaped as in JSON`(text: String, shown: String) {
    #expect(Visible.text(text).utf8.elementsEqual(shown.utf8), "\(Visible.text(text))")
    #expect(Visible.isWhole(text) == text.utf8.elementsEqual(shown.utf8))
  }

  @Test func `only the command's own styles are written to a terminal`() {
    let bold = "\u{1B}[1mtitle\u{1B}[0m"
    #expect(Visible.line(bold, keepingStyles: true) == bold)
    #expect(Visible.line(bold, keepingStyles: false) == #"\u001b[1mtitle\u001b[0m"#)
    #expect(
      Visible.line("\u{1B}]0;title\u{7}\u{1B}[2J\(bold)", keepingStyles: true)
        == #"\u001b]0;title\u0007\u001b[2J"# + bold)
  }

  @Test func `every control character is escaped, alone and in other text`() {
    for value in Array(UInt32(0)..<0x20) + Array(0x7F..<0xA0) + [0x2028, 0x2029] {
      let scalar = Unicode.Scalar(value)!
      for text in ["\(scalar)", "a\(scalar)b", "\u{1B}[1m\(scalar)\u{1B}[0m"] {
        let shown = Visible.line(text, keepingStyles: true)
        #expect(!shown.unicodeScalars.contains(scalar) || value == 0x1B)
      }
    }
  }
}
