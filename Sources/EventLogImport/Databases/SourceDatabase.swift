package import EventLog

/// A SQLite file of a source.
package struct SourceDatabase {
  /// The ends of the names of files that are databases.
  static let suffixes = [".sqlite", ".sqlite3", ".db"]

  private let reader: DatabaseReader
  private let title: String

  /// Whether bytes are the beginning of a SQLite file.
  static func isDatabase(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// - Parameter title: The name of the file in errors.
  package init(_ bytes: [UInt8], title: String) throws(EventLogError) {
    self.title = title
    guard Self.isDatabase(bytes) else {
      throw .cannotImport("\"\(title)\" is not a SQLite file, which the map is for.", file: title)
    }
    if let reason = DatabaseReader.unavailable {
      throw .cannotImport(
        "\"\(title)\" is a SQLite file. \(reason)",
        hint: "Install SQLite 3.36 or later: on Debian, the package libsqlite3-0.", file: title)
    }
    guard let reader = DatabaseReader(bytes) else {
      throw .cannotImport("\"\(title)\" cannot be opened as a SQLite file.", file: title)
    }
    self.reader = reader
  }

  /// The names of the tables, without SQLite's own.
  package func tables() throws(EventLogError) -> [String] {
    var names: [String] = []
    try forEachRow(
      of: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%'"
        + " ESCAPE '\\' ORDER BY name", saying: "its list of tables"
    ) { values in
      if case .json(.string(let name))? = values.first?.value { names.append(name) }
    }
    return names
  }

  /// The number of rows in a table.
  package func rowCount(ofTable name: String) throws(EventLogError) -> Int {
    try rows(of: .table(name)).count
  }

  /// Returns the rows of a table or a query.
  func rows(of origin: TableMap.DatabaseRows) throws(EventLogError) -> [RowFinder.Row] {
    var rows: [RowFinder.Row] = []
    var valuesLeft = SourceTree.valuesMax
    let (query, list, what): (String, String, String)
    switch origin {
    case .table(let name):
      let known = try tables()
      guard known.contains(where: { $0.lowercased() == name.lowercased() }) else {
        throw .cannotImport(
          "\"\(title)\" has no table \"\(name)\", which the map needs.",
          hint: Suggestion.nearest(to: name, among: known)
            .map { "It has a table \"\($0)\": is that what the map means?" }
            ?? "Its tables are \(known.firstFew).", file: title)
      }
      query = "SELECT * FROM \"\(name.replacing("\"", with: "\"\""))\""
      (list, what) = (name, "the table \"\(name)\"")
    case .query(let text): (query, list, what) = (text, "query", "the map's query")
    }
    try forEachRow(of: query, saying: what) { (values) throws(EventLogError) in
      valuesLeft -= values.count
      guard valuesLeft >= 0 else {
        throw .cannotImport(
          "\"\(title)\" holds more than \(SourceTree.valuesMax) values.",
          hint: "Import a part of it, with a query in the map.", file: title)
      }
      rows.append(
        RowFinder.Row(
          location: .element(file: title, list: list, rows.count), values: values))
    }
    return rows
  }

  private func forEachRow(
    of query: String, saying what: String,
    _ body: ([(name: String, value: SourceTree)]) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    let error: EventLogError?
    do throws(DatabaseReader.Failure) { error = try reader.forEachRow(of: query, body) } catch {
      throw .cannotImport(
        "\"\(title)\": \(what) cannot be read: \(error.reason).",
        hint: "Check the map, and that the file is whole: sqlite3 FILE \"PRAGMA integrity_check\"",
        file: title)
    }
    if let error { throw error }
  }
}
