import EventLog

/// Reads the tables of a source.
struct TableReading {
  let map: ImportMap
  let catalog: SchemaCatalog
  let settings: ImportSettings
  @Boxed private var files: SourceFiles
  /// The documents read so far, by file name.
  private var documents: [String: SourceDocument] = [:]
  private var databases: [String: SourceDatabase] = [:]
  private var csvFiles: CSVFiles
  /// The tables of CSV files, by their indexes in the map.
  private var csvTables: [Int: [NamedTable]] = [:]
  /// The indexes of tables whose joins are being read.
  private var joining: Set<Int> = []
  private var statements = RepeatedValues()
  private var content = SourceContent()

  private typealias NamedTable = (name: String, table: SourceTable)

  init(
    _ map: ImportMap, _ catalog: SchemaCatalog, _ settings: ImportSettings, _ files: SourceFiles
  ) {
    self.map = map
    self.catalog = catalog
    self.settings = settings
    _files = Boxed(wrappedValue: files)
    csvFiles = CSVFiles(files)
  }

  mutating func read() throws(EventLogError) -> SourceContent {
    var isKnown = Set<String>()
    var hasFiles = false
    for (index, table) in map.tables.enumerated() {
      if table.isFallback, hasFiles { continue }
      let found = try sources(of: index)
      hasFiles = !found.isEmpty
      let counter = RowCounter()
      for (name, source) in found {
        isKnown.insert(name)
        try read(source, as: table, counter)
        if table.isFallback {
          content.findings.append("\(name) was read, because other files are missing.")
        }
      }
      let next = map.tables.indices.contains(index + 1) ? map.tables[index + 1] : nil
      let hasFallback = next.map { $0.isFallback && hasFile(for: $0) } ?? false
      if table.isFallback || found.isEmpty && hasFallback { continue }
      if found.isEmpty, table.join == nil {
        // An archive has an error of its own.
        if !files.isFolder { _ = try files.bytes(of: files.names[0]) }
        throw .cannotImport(
          "The map needs \(map.inputName(of: table)), and"
            + " \"\(files.path)\" \(files.isFolder ? "does not contain it" : "is not that").",
          hint: "Check that it is an export of that app.", file: files.path)
      }
      try noteMissing(found.map(\.name), of: table)
    }
    for name in files.names where !isKnown.contains(name) {
      content.addUnused(name, as: name, map)
    }
    content.noteIgnored()
    if let finding = files.finding { content.findings.append(finding) }
    content.remarks += statements.remarks
    content.stores = [("", statements.statements)]
    return content
  }

  /// Reports rows of the joined table for which this table has no file.
  private mutating func noteMissing(
    _ names: [String], of table: TableMap
  ) throws(EventLogError) {
    guard let join = table.join, let joined = try joined(by: join) else { return }
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

  private func hasFile(for table: TableMap) -> Bool {
    files.names.contains { match($0, table) != nil }
  }

  // MARK: - Tables

  /// Returns the files of one of the map's tables, each as a table.
  private mutating func sources(of index: Int) throws(EventLogError) -> [NamedTable] {
    if let known = csvTables[index] { return known }
    let table = map.tables[index]
    var counts: [String: Int] = [:]
    var found: [NamedTable] = []
    var missingCount = 0
    for name in files.names {
      guard let known = match(name, table) else { continue }
      if let origin = table.database {
        var read = try database(name, origin, known)
        numberRows(of: &read, table, keysOf: read, &counts)
        found.append((name, read))
      } else if let rows = table.rows {
        guard var read = try document(name, rows, table, known) else {
          missingCount += 1
          continue
        }
        numberRows(of: &read, table, keysOf: read, &counts)
        found.append((name, read))
      } else {
        var read = try csv(name, table, known)
        let own = read
        if let join = table.join { try add(join, to: &read, index) }
        numberRows(of: &read, table, keysOf: own, &counts)
        found.append((name, read))
      }
    }
    if table.isCSV { csvTables[index] = found }
    // Without "files", a table is only in some of the documents.
    if let rows = table.rows, !table.files.isEmpty, !found.isEmpty, missingCount > 0 {
      content.findings.append(
        "\(missingCount) of \(found.count + missingCount) files have no \"\(rows)\".")
    }
    return found
  }

  /// Returns the rows of a list in a document, or nil if it has no such list.
  private mutating func document(
    _ name: String, _ rows: String, _ table: TableMap, _ known: [String: String]
  ) throws(EventLogError) -> SourceTable? {
    let title = files.isFolder ? name : files.path
    var opened = documents[name]
    if opened == nil { opened = try SourceDocument(try files.bytes(of: name), title: title) }
    guard let document = opened else { return nil }
    // Most documents have one table, and a folder may have many documents.
    if map.tables.count > 1 { documents[name] = document }
    var finder = RowFinder(document, table, title: title)
    guard try finder.find(rows, in: document.tree) else { return nil }
    if let finding = finder.finding { content.findings.append(finding) }
    return SourceTable(finder.rows, title: title, known: known)
  }

  /// Returns the rows of a table or a query of a SQLite file.
  private mutating func database(
    _ name: String, _ origin: TableMap.DatabaseRows, _ known: [String: String]
  ) throws(EventLogError) -> SourceTable {
    let title = files.isFolder ? name : files.path
    var opened = databases[name]
    if opened == nil {
      try files.checkIsComplete(database: name)
      opened = try SourceDatabase(try files.bytes(of: name), title: title)
      databases[name] = opened
      try noteTables(of: opened!, title)
    }
    guard let opened else { preconditionFailure("It was opened.") }
    return SourceTable(try opened.rows(of: origin), title: title, known: known)
  }

  /// Reports the tables of a database that the map doesn't mention; a query could read any.
  private mutating func noteTables(
    of database: SourceDatabase, _ title: String
  ) throws(EventLogError) {
    var known: [String] = []
    for table in map.tables {
      switch table.database {
      case .table(let name)?: known.append(name.lowercased())
      case .query?: return
      case nil: continue
      }
    }
    for name in try database.tables() where !known.contains(name.lowercased()) {
      content.addUnused(name, as: "\(title): the table \"\(name)\"", map)
    }
  }

  /// Numbers imported rows with the same key, if the map says that they are different things.
  ///
  /// - Parameters:
  ///   - keys: The table without joined columns. Rows of one joined row have its number.
  ///   - counts: The numbers of rows by key, in all files of the table.
  private func numberRows(
    of table: inout SourceTable, _ map: TableMap, keysOf keys: SourceTable,
    _ counts: inout [String: Int]
  ) {
    guard map.isEach || !map.twins.isEmpty, map.day == nil, let key = map.key else { return }
    table.number(map.twins, after: &counts) { [table] row in
      guard table.isImported(row, by: map) else { return nil }
      return try? key.text { keys.text(of: $0, in: row) }.get()
    }
  }

  private func match(_ name: String, _ table: TableMap) -> [String: String]? {
    // If the map has one table and a single file was given, its name doesn't matter.
    if !files.isFolder, map.tables.count == 1 { return [:] }
    if table.files.isEmpty {
      let suffixes = table.database == nil ? SourceDocument.suffixes : SourceDatabase.suffixes
      let isDocument = suffixes.contains { name.lowercased().hasSuffix($0) }
      return isDocument || !files.isFolder ? [:] : nil
    }
    // Some file systems decompose the names of files.
    for pattern in table.files {
      if let parts = pattern.match(name.composed, without: "/") { return parts }
    }
    return nil
  }

  private mutating func csv(
    _ name: String, _ table: TableMap, _ known: [String: String]
  ) throws(EventLogError) -> SourceTable {
    let title = files.isFolder ? name : files.path
    let readers = map.tables.filter { $0.isCSV && match(name, $0) != nil }
    let file = try csvFiles.rows(of: name, for: readers, &content)
    var read = try SourceTable(file, title: title, columns: table.columns, known: known)
    if let wide = table.wide { read.widen(wide) }
    return read
  }

  /// Returns the table of a joined file, or nil if there is none.
  private mutating func joined(by join: TableMap.Join) throws(EventLogError) -> SourceTable? {
    let index = map.tables.indices.first { index in
      let table = map.tables[index]
      return table.isCSV && !joining.contains(index) && match(join.file, table) != nil
    }
    guard let index else { return nil }
    return try sources(of: index).first { $0.name == join.file }?.table
  }

  /// Adds the columns of the joined table to each row.
  private mutating func add(
    _ join: TableMap.Join, to table: inout SourceTable, _ index: Int
  ) throws(EventLogError) {
    joining.insert(index)
    defer { joining.remove(index) }
    guard let joined = try joined(by: join) else {
      throw .cannotImport(
        "\"\(files.path)\" has no \(join.file), to which \(table.title) belongs.",
        file: files.path)
    }
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
            + " \(value.quoted) as its \(join.column).", file: table.title)
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
    for name in reading.unmapped {
      content.addUnused(name, as: "\(table.title): the column \"\(name)\"", self.map)
    }
    for row in reading.rows { try reading.read(row, into: &statements, &content) }
  }
}

extension ImportMap {
  /// Returns what a table is read from, for errors.
  fileprivate func inputName(of table: TableMap) -> String {
    if let rows = table.rows { return "a list \"\(rows)\"" }
    return table.database != nil && table.files.isEmpty ? "a SQLite file" : fileNames(of: table)
  }

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
