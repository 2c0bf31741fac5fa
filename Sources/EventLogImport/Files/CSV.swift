package import EventLog

/// A table of values that are separated by commas (RFC 4180) or another character.
///
/// Lines may end with LF, CRLF or CR. A byte-order mark and blank lines are skipped.
package struct CSV: Sendable {
  package private(set) var rows: [Row] = []

  /// A row, whose values are read from the bytes of the file on demand.
  package struct Row: Sendable {
    /// The number of its first line.
    let line: Int
    fileprivate let text: CSVText
    fileprivate let start: UInt32
    fileprivate let end: UInt32

    var count: Int { Int(end - start) }

    /// Returns the value of a column, or nil if the row is shorter.
    func cell(_ column: Int) -> String? {
      column < count ? text.text(of: Int(start) + column) : nil
    }

    func isEmpty(_ column: Int) -> Bool {
      column >= count || text.isEmpty(Int(start) + column)
    }

    package var cells: [String] { (Int(start)..<Int(end)).map { text.text(of: $0) } }
  }

  /// - Parameter name: The name of the file in errors.
  package init(_ bytes: [UInt8], name: String) throws(EventLogError) {
    try Self.check(bytes, name)
    try self.init(bytes, name: name, CSVDialect(of: bytes))
  }

  /// Refuses bytes that are not text.
  static func check(_ bytes: [UInt8], _ name: String) throws(EventLogError) {
    try CSVText.check(bytes, name)
  }

  /// - Parameter bytes: Text that was checked.
  init(_ bytes: [UInt8], name: String, _ dialect: CSVDialect) throws(EventLogError) {
    var reader = CSVReader(bytes: bytes, name: name, dialect)
    let rows = try reader.rows()
    let text = CSVText(bytes, reader.cells)
    self.rows = rows.map { Row(line: $0.line, text: text, start: $0.start, end: $0.end) }
  }

  /// Returns the values of the first row; empty if it isn't valid.
  static func heading(of bytes: [UInt8], _ dialect: CSVDialect) -> [String] {
    var reader = CSVReader(bytes: bytes, name: "", dialect)
    guard (try? reader.row()) != nil else { return [] }
    let text = CSVText(bytes, reader.cells)
    return reader.cells.indices.map { text.text(of: $0) }
  }
}

/// The bytes of a file in UTF-8, and where its values are in them.
private final class CSVText: Sendable {
  struct Cell {
    var start: UInt32
    var end: UInt32
    /// Whether the value contains quotation marks, each of which is doubled in the file.
    var hasQuotes = false
  }

  private let bytes: [UInt8]
  private let cells: [Cell]

  init(_ bytes: [UInt8], _ cells: [Cell]) { (self.bytes, self.cells) = (bytes, cells) }

  func isEmpty(_ index: Int) -> Bool { cells[index].start == cells[index].end }

  func text(of index: Int) -> String {
    let cell = cells[index]
    let part = bytes[Int(cell.start)..<Int(cell.end)]
    if !cell.hasQuotes { return String(decoding: part, as: UTF8.self) }
    var text: [UInt8] = []
    var isSecond = false
    for byte in part {
      isSecond = byte == 0x22 && !isSecond
      if !isSecond { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func check(_ bytes: [UInt8], _ name: String) throws(EventLogError) {
    let hint = "Export it in UTF-8, or open it in a spreadsheet and save it as CSV in UTF-8."
    if String(validating: bytes, as: UTF8.self) != nil {
      guard let index = bytes.firstIndex(of: 0) else { return }
      let line = 1 + bytes[..<index].count { $0 == 0x0A }
      throw .cannotImport(
        "\(name):\(line): the line has a null character (column"
          + " \(SourceText.column(of: index, in: bytes))), as text in UTF-16 without a byte-order"
          + " mark does.", hint: hint, file: name, line: line, byte: index)
    }
    var line = 0
    for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      line += 1
      guard String(validating: part, as: UTF8.self) == nil else { continue }
      throw .cannotImport(
        "\(name):\(line): the line is not text in UTF-8.", hint: hint, file: name, line: line)
    }
  }
}

/// Finds the values in one pass.
private struct CSVReader {
  let bytes: [UInt8]
  let name: String
  private(set) var cells: [CSVText.Cell] = []
  private let separator: UInt8
  private var index: Int
  private var line: Int

  init(bytes: [UInt8], name: String, _ dialect: CSVDialect) {
    self.bytes = bytes
    self.name = name
    (separator, index, line) = (dialect.separator, dialect.start, dialect.line)
  }

  mutating func rows() throws(EventLogError) -> [(line: Int, start: UInt32, end: UInt32)] {
    var rows: [(line: Int, start: UInt32, end: UInt32)] = []
    var read = 0
    while index < bytes.count {
      let (start, first) = (line, cells.count)
      try row()
      read += cells.count - first
      // Blank lines count, too, so that reading a file of them ends.
      if read > SourceTree.valuesMax { throw tooMany() }
      if cells.count == first + 1, cells[first].start == cells[first].end {
        cells.removeLast()
      } else {
        rows.append((start, UInt32(first), UInt32(cells.count)))
      }
    }
    return rows
  }

  private func tooMany() -> EventLogError {
    .cannotImport(
      "\(name):\(line): the file holds more than \(SourceTree.valuesMax) values.",
      hint: "Divide it into several files.", file: name, line: line)
  }

  mutating func row() throws(EventLogError) {
    while true {
      if cells.count > SourceTree.valuesMax { throw tooMany() }
      cells.append(try index < bytes.count && bytes[index] == 0x22 ? quoted() : plain())
      guard index < bytes.count else { return }
      let byte = bytes[index]
      index += 1
      if byte == separator { continue }
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
      line += 1
      return
    }
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == 0x0A || byte == 0x0D
  }

  private mutating func plain() -> CSVText.Cell {
    let start = index
    while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
    return CSVText.Cell(start: UInt32(start), end: UInt32(index))
  }

  private mutating func quoted() throws(EventLogError) -> CSVText.Cell {
    let (start, first) = (index, line)
    index += 1
    var cell = CSVText.Cell(start: UInt32(index), end: 0)
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte != 0x22 {
        if byte == 0x0A { line += 1 }
      } else if index < bytes.count, bytes[index] == 0x22 {
        cell.hasQuotes = true
        index += 1
      } else if index == bytes.count || isEnd(bytes[index]) {
        cell.end = UInt32(index - 1)
        return cell
      } else {
        throw refused("has something after the closing quotation mark of a value", line, index)
      }
    }
    throw refused("begins a quoted value that does not end", first, start)
  }

  private func refused(_ reason: String, _ line: Int, _ index: Int) -> EventLogError {
    .cannotImport(
      "\(name):\(line): the line \(reason) (column \(SourceText.column(of: index, in: bytes))).",
      hint: "Check that the file is whole. A quotation mark in a quoted value is written twice.",
      file: name, line: line, byte: index)
  }
}
