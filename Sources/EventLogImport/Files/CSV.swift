package import EventLog

/// A table of comma-separated values (RFC 4180).
///
/// Lines may end with LF, CRLF or CR. A byte-order mark and blank lines are skipped.
package struct CSV {
  package struct Row {
    /// The number of its first line.
    var line: Int
    package var cells: [String]
  }

  package private(set) var rows: [Row] = []

  /// - Parameter name: The name of the file in errors.
  package init(_ bytes: [UInt8], name: String) throws(EventLogError) {
    var reader = CSVReader(bytes: bytes, name: name)
    rows = try reader.rows()
  }
}

/// Reads the rows in one pass.
private struct CSVReader {
  let bytes: [UInt8]
  let name: String
  private var index = 0
  private var line = 1
  private var cellsLeft = SourceTree.valuesMax

  init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  mutating func rows() throws(EventLogError) -> [CSV.Row] {
    var rows: [CSV.Row] = []
    while index < bytes.count {
      let start = line
      let cells = try row()
      if cells.count > 1 || !cells[0].isEmpty { rows.append(CSV.Row(line: start, cells: cells)) }
    }
    return rows
  }

  private mutating func row() throws(EventLogError) -> [String] {
    var cells: [String] = []
    while true {
      if cellsLeft == 0 {
        throw .cannotImport(
          "\(name):\(line): the file holds more than \(SourceTree.valuesMax) values.",
          hint: "Divide it into several files.", file: name, line: line)
      }
      cellsLeft -= 1
      cells.append(try index < bytes.count && bytes[index] == 0x22 ? quoted() : plain())
      guard index < bytes.count else { return cells }
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ",") { continue }
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
      line += 1
      return cells
    }
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
  }

  private mutating func plain() throws(EventLogError) -> String {
    let start = index
    while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
    if index == start { return "" }
    return try text(bytes[start..<index], line)
  }

  private mutating func quoted() throws(EventLogError) -> String {
    let start = line
    var cell: [UInt8] = []
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte != 0x22 {
        if byte == 0x0A { line += 1 }
        cell.append(byte)
      } else if index < bytes.count, bytes[index] == 0x22 {
        cell.append(0x22)
        index += 1
      } else if index == bytes.count || isEnd(bytes[index]) {
        return try text(cell[...], start)
      } else {
        throw refused("has something behind the closing quotation mark of a value", line)
      }
    }
    throw refused("begins a quoted value that does not end", start)
  }

  private func text(_ cell: ArraySlice<UInt8>, _ line: Int) throws(EventLogError) -> String {
    guard let text = String(validating: cell, as: UTF8.self) else {
      throw refused("is not text in UTF-8", line)
    }
    return text
  }

  private func refused(_ reason: String, _ line: Int) -> EventLogError {
    .cannotImport("\(name):\(line): the line \(reason).", file: name, line: line)
  }
}
