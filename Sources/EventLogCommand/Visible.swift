/// Text as it may be shown: what came from data, names, peers or arguments cannot write to a
/// terminal what is not to be seen there, nor begin a line of its own.
///
/// Escaped, as in JSON, are control characters, line and paragraph separators, and what shows
/// nothing: bidirectional controls, characters of no width, tags (Unicode Standard Annex 44,
/// Default_Ignorable_Code_Point, and the controls of annex 9). Joiners stay where a script or an
/// emoji needs them.
enum Visible {
  /// The text on one line, with nothing in it that does not show.
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

  /// Whether all of the text shows as it is: only such words make a command that may be copied.
  static func isWhole(_ text: String) -> Bool {
    Visible.text(text).utf8.elementsEqual(text.utf8)
  }

  /// A line that was put together for a terminal: the command's own styles stay, where it may use
  /// them.
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
    if isAlwaysShown(scalar) { return true }
    guard scalar.properties.isDefaultIgnorableCodePoint else { return false }
    guard index > 0 else { return false }
    let before = scalars[index - 1]
    switch scalar.value {
    // How an emoji is shown; of a digit, only where a keycap goes around it.
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

  /// Whether it shows, whatever stands beside it.
  static func isAlwaysShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    default: break
    }
    // Annotation marks, and braille without a dot: neither is among those that may be ignored.
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

  /// Where these scripts stand: Arabic to Myanmar, Khmer and Mongolian, Limbu to Vedic, Syloti
  /// Nagri to Meetei Mayek, Arabic forms, and those beyond the first plane.
  private static let joiningScripts: [ClosedRange<UInt32>] = [
    0x0600...0x109F, 0x1780...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFEFC,
    0x10A00...0x11FFF,
  ]

  /// Whether it is a letter, or a mark on one, of a script in which joiners change what is seen.
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
