import EventLog

/// Rows of named values, from a CSV file or a list of dictionaries.
struct SourceTable {
  struct Row {
    /// The position, for errors: `Habits.csv:3`.
    var location: String
    var values: [String: SourceTree]
    /// The suffix that distinguishes the row from earlier ones with the same key.
    var number = ""
  }

  /// The file name shown in errors.
  var title: String
  var columns: [String]
  var rows: [Row]

  /// Reads a CSV file.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns if the file may have no header; empty if it always has
  ///     one.
  ///   - known: The columns whose values are in the file's name.
  init(
    _ bytes: [UInt8], title: String, columns defaultColumns: [String], known: [String: String]
  ) throws(EventLogError) {
    self.title = title
    // Check this first: otherwise quotes in such a file would be reported as invalid.
    let head = bytes.prefix { $0 != 0x0A }
    let marks: [(UInt8, String)] = [(UInt8(ascii: ";"), "semicolons"), (0x09, "tabs")]
    // In bytes that aren't text, these aren't separators.
    if String(validating: head, as: UTF8.self) != nil, !head.contains(UInt8(ascii: ",")),
      let mark = marks.first(where: { head.contains($0.0) })
    {
      throw .cannotImport(
        "\(title) separates its columns with \(mark.1) instead of commas.",
        hint: "Export it with commas, or open it in a spreadsheet and save it as CSV with commas.",
        file: title, line: 1)
    }
    var lines = try CSV(bytes, name: title).rows[...]
    rows = []
    columns = defaultColumns
    if let first = lines.first,
      defaultColumns.isEmpty || first.cells.contains(where: defaultColumns.contains)
    {
      columns = first.cells
      lines.removeFirst()
    } else if !defaultColumns.isEmpty, let first = lines.first {
      columns = Array(defaultColumns.prefix(first.cells.count))
    }
    var names: Set<String> = []
    for column in columns where !column.isEmpty && !names.insert(column).inserted {
      throw .cannotImport(
        "\(title) has two columns \"\(column)\".", file: title, line: 1)
    }
    for line in lines {
      guard line.cells.count == columns.count else {
        throw .cannotImport(
          "\(title):\(line.line): the line has \(line.cells.count) columns instead of"
            + " \(columns.count).", file: title, line: line.line)
      }
      var values = known.mapValues { SourceTree.json(.string($0)) }
      for (column, cell) in zip(columns, line.cells) where !column.isEmpty {
        values[column] = .json(.string(cell))
      }
      rows.append(Row(location: "\(title):\(line.line)", values: values))
    }
    columns += known.keys.sorted().filter { !columns.contains($0) }
  }

  /// Reads a list of dictionaries.
  init(_ tree: SourceTree, title: String) throws(EventLogError) {
    self.title = title
    guard case .list(let items) = tree else {
      throw .cannotImport("\(title) is not a list of rows.", file: title)
    }
    columns = []
    rows = []
    var known: Set<String> = []
    for (index, item) in items.enumerated() {
      guard case .members(let members) = item else {
        throw .cannotImport("\(title)[\(index)] is not a dictionary.", file: title)
      }
      var values: [String: SourceTree] = [:]
      for (name, value) in members {
        values[name] = value
        if known.insert(name).inserted { columns.append(name) }
      }
      rows.append(Row(location: "\(title)[\(index)]", values: values))
    }
  }
}
