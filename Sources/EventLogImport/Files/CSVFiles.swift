import EventLog

/// The CSV files of a source, each parsed once.
struct CSVFiles {
  let files: SourceFiles
  private var opened: [String: CSV] = [:]

  init(_ files: SourceFiles) { self.files = files }

  /// Returns the rows of a file.
  ///
  /// - Parameter tables: The tables of the map that read the file.
  mutating func rows(
    of name: String, for tables: [TableMap], _ content: inout SourceContent
  ) throws(EventLogError) -> CSV {
    if let known = opened[name] { return known }
    let title = files.isFolder ? name : files.path
    let file = try files.bytes(of: name)
    guard !PropertyList.isBinary(file), !PropertyList.isXML(file) else {
      throw .cannotImport("\"\(title)\" is a property list; the map is for CSV.", file: title)
    }
    guard !SourceDatabase.isDatabase(file) else {
      throw .cannotImport("\"\(title)\" is a SQLite file; the map is for CSV.", file: title)
    }
    let (bytes, isUTF16) = try SourceText.utf8(file, title)
    if SourceText.isBlank(bytes) {
      // Some app versions write an empty file, without a header, if there are no rows.
      guard tables.allSatisfy({ !$0.columns.isEmpty }) else {
        throw .cannotImport(
          "\"\(files.title(name))\" is empty: even the names of its columns are missing.",
          hint: "Export it again.", file: files.title(name))
      }
      content.remarks.append("\(name) is empty: nothing was read from it.")
    }
    try CSV.check(bytes, title)
    let expected = tables.reduce(into: Set<String>()) {
      $0.formUnion($1.columnNames.union($1.columns))
    }
    let dialect = try CSVDialect(of: bytes, named: title, expecting: expected)
    let found = [
      isUTF16 ? "the text is in UTF-16" : nil,
      dialect.unusualName.map { "\($0) separate the columns" },
    ].compactMap { $0 }
    if !found.isEmpty { content.findings.append("\(title): \(found.joined(separator: ", and ")).") }
    let rows = try CSV(bytes, name: title, dialect)
    opened[name] = rows
    return rows
  }
}
