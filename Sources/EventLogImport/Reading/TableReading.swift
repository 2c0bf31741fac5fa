import EventLog

/// Reads the tables of a source.
struct TableReading {
  let map: ImportMap
  let catalog: SchemaCatalog
  let settings: ImportSettings
  private let files: SourceFiles
  /// The file's content, if it isn't CSV.
  private let tree: SourceTree?
  /// The CSV tables read so far, by file name.
  private var tables: [String: SourceTable] = [:]
  private var statements: [Statement] = []
  private var content = SourceContent()

  init(
    _ map: ImportMap, _ catalog: SchemaCatalog, _ settings: ImportSettings, _ files: SourceFiles,
    _ tree: SourceTree?
  ) {
    self.map = map
    self.catalog = catalog
    self.settings = settings
    self.files = files
    self.tree = tree
  }

  mutating func read() throws(EventLogError) -> SourceContent {
    var isKnown = Set<String>()
    for table in map.tables {
      let found = try sources(of: table)
      let counter = RowCounter()
      for (name, source) in found {
        isKnown.insert(name)
        try read(source, as: table, counter)
      }
      if found.isEmpty, table.join == nil {
        throw .cannotImport(
          "The map needs \(table.rows.map { "a list \"\($0)\"" } ?? map.fileNames(of: table)), and"
            + " \"\(files.path)\" \(files.isFolder ? "does not contain it" : "is not that").",
          hint: "Check that it is an export of that app.", file: files.path)
      }
      noteMissing(found.map(\.name), of: table)
    }
    if tree == nil {
      for name in files.names where !isKnown.contains(name) && !isIgnored(name) {
        content.unknown.append(name)
      }
    }
    content.stores = [("", statements)]
    return content
  }

  /// Reports rows of the joined table for which this table has no file.
  private mutating func noteMissing(_ names: [String], of table: TableMap) {
    guard let join = table.join, let joined = tables[join.file] else { return }
    let known = Set(names.compactMap { match($0, table)?[join.column] })
    for row in 0..<joined.count {
      guard let value = joined.text(of: join.column, in: row), !known.contains(value) else {
        continue
      }
      let name = map.fileNames(of: table).split(separator: "/").last ?? "file"
      content.remarks.append(
        "\(joined.location(of: row)): there is no \(name) for it, so its days are missing.")
    }
  }

  private func isIgnored(_ name: String) -> Bool {
    map.ignored.contains { $0.matches(name) }
  }

  // MARK: - Tables

  /// Returns the tables that the map describes, with the names of their files.
  private mutating func sources(
    of table: TableMap
  ) throws(EventLogError) -> [(name: String, table: SourceTable)] {
    if let rows = table.rows {
      guard let tree else { return [] }
      return try member(rows, of: tree).map { (tree) throws(EventLogError) in
        [(rows, try SourceTable(tree, title: files.title(files.names[0]), list: rows))]
      } ?? []
    }
    guard tree == nil else { return [] }
    var found: [(String, SourceTable)] = []
    for name in files.names {
      guard let known = match(name, table) else { continue }
      found.append((name, try csv(name, table, known)))
    }
    return found
  }

  private func match(_ name: String, _ table: TableMap) -> [String: String]? {
    // If the map has one table and a single file was given, its name doesn't matter.
    if !files.isFolder, map.tables.count == 1 { return [:] }
    for pattern in table.files {
      if let parts = pattern.match(name, without: "/") { return parts }
    }
    return nil
  }

  private func member(_ name: String, of tree: SourceTree) -> SourceTree? {
    if name.isEmpty { return tree }
    guard case .members(let members) = tree else { return nil }
    return members.first { $0.name.hasBytes(of: name) }?.value
  }

  private mutating func csv(
    _ name: String, _ table: TableMap, _ known: [String: String]
  ) throws(EventLogError) -> SourceTable {
    if let read = tables[name] { return read }
    let bytes = try files.bytes(of: name)
    if bytes.allSatisfy({ [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      // Some app versions write an empty file, without a header, if there are no rows.
      guard !table.columns.isEmpty else {
        throw .cannotImport(
          "\"\(files.title(name))\" is empty: even the names of its columns are missing.",
          hint: "Export it again.", file: files.title(name))
      }
      content.remarks.append("\(name) is empty: nothing was read from it.")
    }
    var read = try SourceTable(
      bytes, title: files.isFolder ? name : files.path,
      columns: table.columns, known: known)
    if table.isEach, table.day == nil, let key = table.key {
      read.number { [read] row in
        try? key.text { read.text(of: $0, in: row) }.get()
      }
    }
    if let join = table.join { try add(join, to: &read) }
    tables[name] = read
    return read
  }

  /// Adds the columns of the joined table to each row.
  private mutating func add(
    _ join: TableMap.Join, to table: inout SourceTable
  ) throws(EventLogError) {
    guard let other = map.tables.first(where: { match(join.file, $0) != nil }),
      files.names.contains(join.file)
    else {
      throw .cannotImport(
        "\"\(files.path)\" has no \(join.file), to which \(table.title) belongs.",
        file: files.path)
    }
    let joined = try csv(join.file, other, [:])
    var known: [String: Int] = [:]
    for row in (0..<joined.count).reversed() {
      if let value = joined.text(of: join.column, in: row) { known[value] = row }
    }
    var rows: [Int] = []
    for row in 0..<table.count {
      let value = table.text(of: join.column, in: row) ?? ""
      guard let found = known[value] else {
        throw .cannotImport(
          "\(table.title) belongs to no row of \(join.file): none has"
            + " \"\(value)\" as its \(join.column).", file: table.title)
      }
      rows.append(found)
    }
    table.join(joined, rows: rows)
  }

  // MARK: - Rows

  private mutating func read(
    _ table: SourceTable, as map: TableMap, _ counter: RowCounter
  ) throws(EventLogError) {
    let reading = try RowReading(
      map, table, catalog, settings, counter, &content.findings)
    content.unknown += reading.unmapped { isIgnored($0) }
    for row in reading.rows { statements += try reading.statements(of: row, &content) }
  }
}

extension ImportMap {
  /// Returns the names of a table's files, for errors.
  fileprivate func fileNames(of table: TableMap) -> String {
    table.files.map { pattern in
      pattern.parts.map { part in
        switch part {
        case .literal(let text): text
        case .name: "…"
        }
      }.joined()
    }.joined(separator: " or ")
  }
}
