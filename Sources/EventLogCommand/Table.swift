/// Rows of text in aligned columns.
struct Table {
  private var rows: [[String]] = []
  private let header: [String]

  init(_ header: [String] = []) { self.header = header }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The widest cell that determines a column's width.
  ///
  /// Wider ones shift the cells after them, so one long text doesn't widen all lines.
  private static let paddingMax = 100

  /// Returns the indented lines, with a dim header on a terminal.
  func lines(_ console: Console, indent: String = "  ") -> [String] {
    let all = (header.isEmpty ? [] : [header]) + rows
    let columns = all.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      all.map { column < $0.count ? Self.width($0[column]) : 0 }.filter { $0 <= Self.paddingMax }
        .max() ?? 0
    }
    return all.enumerated().map { index, row in
      var line = indent
      for (column, cell) in row.enumerated() {
        let isLast = column == row.count - 1
        let text = index == 0 && !header.isEmpty ? console.styled(cell, .dim) : cell
        line += text
        if !isLast {
          line += String(repeating: " ", count: max(0, widths[column] - Self.width(cell)) + 2)
        }
      }
      return Self.trimmed(line)
    }
  }

  /// Removes trailing spaces, which an empty last cell leaves.
  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  /// Returns the width of a text in terminal columns, with wide characters as two.
  static func width(_ text: String) -> Int {
    var isInStyle = false
    return text.reduce(0) { width, character in
      // ESC [ … m sets a style and has no width.
      if character == "\u{1B}" { isInStyle = true }
      if isInStyle {
        if character == "m" { isInStyle = false }
        return width
      }
      return width + Self.width(character)
    }
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    let isWide =
      scalar.properties.isEmojiPresentation
      || (0x1100...0x115F).contains(scalar.value) || (0x2E80...0xA4CF).contains(scalar.value)
      || (0xAC00...0xD7A3).contains(scalar.value) || (0xF900...0xFAFF).contains(scalar.value)
      || (0xFF00...0xFF60).contains(scalar.value)
    return isWide ? 2 : 1
  }

  /// The widest value in a table cell, in columns.
  static let valueMax = 60

  /// Returns a value as a cell: at most ``valueMax`` columns, with an ellipsis if it's cut.
  static func cut(_ value: String) -> String {
    guard width(value) > valueMax else { return value }
    var (cell, width) = ("", 1)
    for character in value {
      width += Self.width(character)
      if width > valueMax { break }
      cell.append(character)
    }
    return cell + "…"
  }
}
