import EventLog

/// Rows of named values, from a CSV file or a list of dictionaries.
struct SourceTable {
  /// The file name shown in errors.
  let title: String
  /// The names of the columns, including those of the file's name.
  private(set) var columns: [String] = []
  /// The column of each name; empty names have none.
  private var origins: [String: Origin] = [:]
  private var content: Content
  private var joined: Joined?
  /// The suffixes that distinguish rows from earlier ones with the same key.
  private var numbers: [Int: String] = [:]

  private enum Origin {
    case own(Int)
    /// The same value in each row, from the file's name.
    case constant(String)
    case joined
  }

  private enum Content {
    case csv(ArraySlice<CSV.Row>)
    case elements([Element])
  }

  /// A dictionary of a list.
  private struct Element {
    var location: SourceLocation
    /// The values by column. Each dictionary of a list may have other columns.
    var values: [(column: Int, value: SourceTree)]
  }

  private final class Joined {
    let table: SourceTable
    let rows: [Int]

    init(_ table: SourceTable, _ rows: [Int]) { (self.table, self.rows) = (table, rows) }
  }

  var count: Int {
    switch content {
    case .csv(let rows): rows.count
    case .elements(let elements): elements.count
    }
  }

  func hasColumn(_ name: String) -> Bool { origins[name] != nil }

  // MARK: - Rows

  func location(of row: Int) -> SourceLocation {
    switch content {
    case .csv(let rows): .line(file: title, rows[rows.startIndex + row].line)
    case .elements(let elements): elements[row].location
    }
  }

  /// Returns the value of a column, or nil if the row has none.
  func value(of column: String, in row: Int) -> SourceTree? {
    switch origins[column] {
    case .own(let index)?:
      switch content {
      case .csv(let rows):
        return rows[rows.startIndex + row].cell(index).map { .json(.string($0)) }
      case .elements(let elements):
        return elements[row].values.first { $0.column == index }?.value
      }
    case .constant(let text)?: return .json(.string(text))
    case .joined?: return joined.flatMap { $0.table.value(of: column, in: $0.rows[row]) }
    case nil: return nil
    }
  }

  /// Returns the text of a text or a number, or nil for any other value.
  func text(of column: String, in row: Int) -> String? {
    guard case .json(let value)? = value(of: column, in: row) else { return nil }
    return switch value {
    case .string(let text): text
    case .number(let number): number.text
    default: nil
    }
  }

  /// Returns the suffix that distinguishes a row from earlier ones with the same key.
  func number(of row: Int) -> String {
    numbers[row] ?? joined.map { $0.table.number(of: $0.rows[row]) } ?? ""
  }

  /// Numbers rows with the same key, which are different entities.
  mutating func number(by key: (Int) -> String?) {
    var counts: [String: Int] = [:]
    for row in 0..<count {
      guard let key = key(row) else { continue }
      let number = counts[key, default: 0] + 1
      counts[key] = number
      if number > 1 { numbers[row] = "~\(number)" }
    }
  }

  /// Adds the columns of another table, whose row for each row is given.
  mutating func join(_ table: SourceTable, rows: [Int]) {
    joined = Joined(table, rows)
    for column in table.origins.keys where origins[column] == nil { origins[column] = .joined }
  }

  /// Returns the columns that have a value in any row.
  func filledColumns() -> [String] {
    var isFilled = [Bool](repeating: false, count: columns.count)
    switch content {
    case .csv(let rows):
      for row in rows {
        for index in 0..<row.count where !row.isEmpty(index) { isFilled[index] = true }
      }
    case .elements(let elements):
      for (column, value) in elements.lazy.flatMap(\.values) where !value.isEmpty {
        isFilled[column] = true
      }
    }
    return columns.indices.filter { index in
      if case .constant? = origins[columns[index]] { return count > 0 }
      return isFilled[index] && !columns[index].isEmpty
    }
    .map { columns[$0] }
  }

  // MARK: - Reading

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
    var rows = try CSV(bytes, name: title).rows[...]
    content = .csv([])
    var heading = defaultColumns
    if let first = rows.first {
      let cells = first.cells
      if defaultColumns.isEmpty || cells.contains(where: defaultColumns.contains) {
        heading = cells
        rows.removeFirst()
      } else {
        heading = Array(defaultColumns.prefix(cells.count))
      }
    }
    try name(heading)
    for row in rows where row.count != heading.count {
      throw .cannotImport(
        "\(title):\(row.line): the line has \(row.count) columns instead of"
          + " \(heading.count).", file: title, line: row.line)
    }
    content = .csv(rows)
    for (column, text) in known.sorted(by: { $0.key.precedes($1.key) })
    where origins[column] == nil {
      origins[column] = .constant(text)
      columns.append(column)
    }
  }

  private mutating func name(_ heading: [String]) throws(EventLogError) {
    columns = heading
    for (index, column) in heading.enumerated() where !column.isEmpty {
      if origins.updateValue(.own(index), forKey: column) != nil {
        throw .cannotImport("\(title) has two columns \"\(column)\".", file: title, line: 1)
      }
    }
  }

  /// Reads a list of dictionaries.
  ///
  /// - Parameter list: The name of the list in the file; empty if the file is the list.
  init(_ tree: SourceTree, title: String, list: String) throws(EventLogError) {
    self.title = title
    guard case .list(let items) = tree else {
      throw .cannotImport(
        "\(list.isEmpty ? title : "\(title): \(list)") is not a list of rows.", file: title)
    }
    content = .elements([])
    var elements: [Element] = []
    for (index, item) in items.enumerated() {
      let location = SourceLocation.element(file: title, list: list, index)
      guard case .members(let members) = item else {
        throw .cannotImport("\(location) is not a dictionary.", file: title)
      }
      elements.append(Element(location: location, values: values(members)))
    }
    content = .elements(elements)
  }

  /// Returns the values of a dictionary by column, and adds new columns.
  private mutating func values(
    _ members: [(name: String, value: SourceTree)]
  ) -> [(column: Int, value: SourceTree)] {
    members.map { name, value in
      if case .own(let known)? = origins[name] { return (known, value) }
      origins[name] = .own(columns.count)
      columns.append(name)
      return (columns.count - 1, value)
    }
  }
}
