/// Escapes untrusted text, so that it can't control the terminal, hide characters or start a new
/// line.
///
/// Data, names, peers' messages and arguments are untrusted. Escaped, as in JSON, are control
/// characters, line and paragraph separators, and invisible characters: bidirectional controls,
/// zero-width characters, tags (Unicode Standard Annex 44, Default_Ignorable_Code_Point, and the
/// controls of annex 9). Joiners stay if a script or an emoji needs them.
enum Visible {
  /// Returns the text on one line, with invisible characters escaped.
  static func text(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var shown = ""
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices {
      if isShown(scalars, index) {
        shown.unicodeScalars.append(scalars[index])
      } else {
        shown += escape(scalars[index])
      }
    }
    return shown
  }

  /// Whether the text needs no escaping, so that it may be part of a command to copy.
  static func isWhole(_ text: String) -> Bool {
    Visible.text(text).utf8.elementsEqual(text.utf8)
  }

  /// Returns an output line with everything escaped except, optionally, the command's own styles.
  static func line(_ line: String, keepingStyles: Bool) -> String {
    guard keepingStyles, line.utf8.contains(0x1B) else { return text(line) }
    var shown = ""
    var rest = line[...]
    while let start = rest.firstIndex(of: "\u{1B}") {
      shown += text(String(rest[..<start]))
      rest = rest[start...]
      if let style = styles.first(where: rest.hasPrefix) {
        shown += style
        rest = rest.dropFirst(style.count)
      } else {
        shown += text("\u{1B}")
        rest = rest.dropFirst()
      }
    }
    return shown + text(String(rest))
  }

  private static let styles =
    [Console.Style.end] + Console.Style.allCases.map(\.beginning)

  private static func isShown(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    let scalar = scalars[index]
    if (0x20...0x7E).contains(scalar.value) { return true }
    if isAlwaysVisible(scalar) { return true }
    guard scalar.properties.isDefaultIgnorableCodePoint else { return false }
    guard index > 0 else { return false }
    let before = scalars[index - 1]
    switch scalar.value {
    // Variation selectors are allowed after emoji; after a digit, only before a keycap.
    case 0xFE0E, 0xFE0F:
      if before.value <= 0x7E {
        return before.properties.isEmoji && index + 1 < scalars.count
          && scalars[index + 1].value == 0x20E3
      }
      return isDrawn(before) || before.properties.isEmoji
    case 0x200C, 0x200D:
      guard index + 1 < scalars.count else { return false }
      let after = scalars[index + 1]
      return joins(before) && joins(after) || isOfEmoji(before) && after.properties.isEmoji
    default: return false
    }
  }

  /// Whether the character is visible regardless of its neighbors.
  static func isAlwaysVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    default: break
    }
    // Annotation marks and the blank braille pattern, which aren't default-ignorable.
    if (0xFFF9...0xFFFB).contains(scalar.value) || scalar.value == 0x2800 { return false }
    return !scalar.properties.isDefaultIgnorableCodePoint
  }

  private static func isDrawn(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .otherSymbol, .mathSymbol, .modifierSymbol, .otherPunctuation, .otherLetter: true
    default: false
    }
  }

  private static func isOfEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0xFE0F || scalar.value > 0x7E && scalar.properties.isEmoji
  }

  /// The blocks of these scripts: Arabic to Myanmar, Khmer and Mongolian, Limbu to Vedic, Syloti
  /// Nagri to Meetei Mayek, Arabic presentation forms, and some of the supplementary plane.
  private static let joiningScripts: [ClosedRange<UInt32>] = [
    0x0600...0x109F, 0x1780...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFEFC,
    0x10A00...0x11FFF,
  ]

  /// Whether the character is a letter or mark of a script in which joiners change the rendering.
  private static func joins(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    guard joiningScripts.contains(where: { $0.contains(scalar.value) }) else { return false }
    switch scalar.properties.generalCategory {
    case .otherLetter, .nonspacingMark, .spacingMark: return true
    default: return false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default:
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }
}
