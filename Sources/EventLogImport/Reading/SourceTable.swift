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
  /// The columns of a wide table of which each has a row for each line; empty for other tables.
  private var wideColumns: [Int] = []
  /// The numbers of rows after the first one with the same key.
  private var numbers: [Int: Int] = [:]
  /// The traits that tell rows with the same key apart, empty if all of their values do, or nil if
  /// they are the same thing.
  private var twins: [String]?

  private enum Origin {
    case own(Int)
    /// The same value in each row, from the file's name.
    case constant(String)
    case joined
    /// The name or the value of a wide table's column.
    case wideName
    case wideValue
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
    case .csv(let rows): rows.count * max(1, wideColumns.count)
    case .elements(let elements): elements.count
    }
  }

  func hasColumn(_ name: String) -> Bool { origins[name] != nil }

  /// Whether the table has no column of a name: a list without rows has no columns to compare.
  func lacks(_ name: String) -> Bool {
    if case .elements(let elements) = content, elements.isEmpty { return false }
    return !hasColumn(name)
  }

  // MARK: - Rows

  func location(of row: Int) -> SourceLocation {
    switch content {
    case .csv(let rows): .line(file: title, line(of: row, rows).line)
    case .elements(let elements): elements[row].location
    }
  }

  private func line(of row: Int, _ rows: ArraySlice<CSV.Row>) -> CSV.Row {
    rows[rows.startIndex + row / max(1, wideColumns.count)]
  }

  private func cell(_ column: Int, of row: Int) -> SourceTree? {
    guard case .csv(let rows) = content else { return nil }
    return line(of: row, rows).cell(column).map { .json(.string($0)) }
  }

  /// Returns the value of a column, or nil if the row has none.
  func value(of column: String, in row: Int) -> SourceTree? {
    switch origins[column] {
    case .own(let index)?:
      switch content {
      case .csv: return cell(index, of: row)
      case .elements(let elements):
        return elements[row].values.first { $0.column == index }?.value
      }
    case .constant(let text)?: return .json(.string(text))
    case .wideName?: return .json(.string(columns[wideColumns[row % wideColumns.count]]))
    case .wideValue?: return cell(wideColumns[row % wideColumns.count], of: row)
    case .joined?: return joined.flatMap { $0.table.value(of: column, in: $0.rows[row]) }
    case nil: return nil
    }
  }

  /// Returns the text of a text, composed, or of a number, or nil for any other value.
  func text(of column: String, in row: Int) -> String? {
    guard case .json(let value)? = value(of: column, in: row) else { return nil }
    return switch value {
    case .string(let text): text.composed
    case .number(let number): number.text
    default: nil
    }
  }

  /// Returns which of the rows with the same key a row belongs to, if their values tell them apart.
  func twin(of row: Int) -> Statement.Twin? {
    if let twins { return Statement.Twin(number: numbers[row] ?? 1, traits: twins) }
    return joined.flatMap { $0.table.twin(of: $0.rows[row]) }
  }

  /// Numbers rows with the same key, which are different entities.
  ///
  /// - Parameters:
  ///   - twins: The traits that tell them apart, or empty if all of their values do.
  ///   - counts: The numbers of earlier rows by key.
  ///   - key: A closure that returns the key of a row, or nil if it has no number.
  mutating func number(
    _ twins: [String], after counts: inout [String: Int], by key: (Int) -> String?
  ) {
    self.twins = twins
    for row in 0..<count {
      guard let key = key(row) else { continue }
      let number = counts[key, default: 0] + 1
      counts[key] = number
      if number > 1 { numbers[row] = number }
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
      for index in wideColumns { isFilled[index] = false }
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

  /// Creates the table of a CSV file.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns if the file may have no header; empty if it always has
  ///     one.
  ///   - known: The columns whose values are in the file's name.
  init(
    _ file: CSV, title: String, columns defaultColumns: [String], known: [String: String]
  ) throws(EventLogError) {
    self.title = title
    var rows = file.rows[...]
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
    try name(heading, line: file.rows.first?.line ?? 1)
    for row in rows where row.count != heading.count {
      let found = row.count == 1 ? "1 column" : "\(row.count) columns"
      throw .cannotImport(
        "\(title):\(row.line): the line has \(found) instead of \(heading.count).",
        hint: "Correct the line. A value that contains a separator needs quotation marks.",
        file: title, line: row.line)
    }
    content = .csv(rows)
    add(known)
  }

  /// Makes each cell a row, except those of the columns that are kept.
  mutating func widen(_ wide: TableMap.Wide) {
    wideColumns = columns.indices.filter { index in
      guard case .own? = origins[columns[index]] else { return false }
      return !wide.kept.contains(columns[index])
    }
    if wideColumns.isEmpty { content = .csv([]) }
    for index in wideColumns { origins[columns[index]] = nil }
    origins[wide.name] = .wideName
    origins[wide.value] = .wideValue
  }

  private mutating func name(
    _ heading: [String], line: Int
  ) throws(EventLogError) {
    columns = heading
    for (index, column) in heading.enumerated() where !column.isEmpty {
      if origins.updateValue(.own(index), forKey: column) != nil {
        throw .cannotImport(
          "\(title):\(line): there are two columns \"\(column)\".",
          hint: "Rename one of them in the file.", file: title, line: line)
      }
    }
  }

  /// Creates a table of dictionaries.
  ///
  /// - Parameter known: The columns whose values are in the file's name.
  init(_ rows: [RowFinder.Row], title: String, known: [String: String]) {
    self.title = title
    content = .elements([])
    var elements: [Element] = []
    for row in rows {
      elements.append(Element(location: row.location, values: values(row.values)))
    }
    content = .elements(elements)
    add(known)
  }

  /// Adds columns with the same value in each row.
  private mutating func add(_ known: [String: String]) {
    for (column, text) in known.sorted(by: { $0.key.precedes($1.key) })
    where origins[column] == nil {
      origins[column] = .constant(text)
      columns.append(column)
    }
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
