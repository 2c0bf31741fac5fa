import EventLog

/// Reads the tables of a source.
struct TableReading {
  let map: ImportMap
  let catalog: SchemaCatalog
  let zone: ImportZone?
  private let files: SourceFiles
  /// The file's content, if it isn't CSV.
  private let tree: SourceTree?
  /// The CSV tables read so far, by file name.
  private var tables: [String: SourceTable] = [:]
  private var statements: [Statement] = []
  private var content = SourceContent()

  init(
    _ map: ImportMap, _ catalog: SchemaCatalog, _ zone: ImportZone?, _ files: SourceFiles,
    _ tree: SourceTree?
  ) {
    self.map = map
    self.catalog = catalog
    self.zone = zone
    self.files = files
    self.tree = tree
  }

  mutating func read() throws(EventLogError) -> SourceContent {
    var isKnown = Set<String>()
    for table in map.tables {
      let found = try sources(of: table)
      for (name, source) in found {
        isKnown.insert(name)
        try read(source, as: table)
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
    for row in joined.rows {
      guard let value = Self.text(join.column, row), !known.contains(value) else { continue }
      let name = map.fileNames(of: table).split(separator: "/").last ?? "file"
      content.remarks.append(
        "\(row.location): there is no \(name) for it, so its days are missing.")
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
        [(rows, try SourceTable(tree, title: rows.isEmpty ? files.title(files.names[0]) : rows))]
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
    if table.isNumbered, let key = table.key { Self.number(&read, key) }
    if let join = table.join { try add(join, to: &read) }
    tables[name] = read
    return read
  }

  /// Numbers rows with the same key, which are different entities with the same name.
  private static func number(_ table: inout SourceTable, _ key: NamePattern) {
    var counts: [String: Int] = [:]
    for index in table.rows.indices {
      guard case .success(let text) = key.text({ text($0, table.rows[index]) }) else { continue }
      let count = counts[text, default: 0] + 1
      counts[text] = count
      if count > 1 { table.rows[index].number = "~\(count)" }
    }
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
    let rows = Dictionary(
      joined.rows.map { (Self.text(join.column, $0), $0) }, uniquingKeysWith: { first, _ in first })
    for index in table.rows.indices {
      let value = Self.text(join.column, table.rows[index])
      guard let row = rows[value] else {
        throw .cannotImport(
          "\(table.title) belongs to no row of \(join.file): none has"
            + " \"\(value ?? "")\" as its \(join.column).", file: table.title)
      }
      table.rows[index].values.merge(row.values) { own, _ in own }
      table.rows[index].number = row.number
    }
  }

  private static func text(_ column: String, _ row: SourceTable.Row) -> String? {
    guard case .json(let value)? = row.values[column] else { return nil }
    return switch value {
    case .string(let text): text
    case .number(let number): number.text
    default: nil
    }
  }

  // MARK: - Rows

  private mutating func read(
    _ table: SourceTable, as map: TableMap
  ) throws(EventLogError) {
    let reading = try RowReading(map, table, catalog, zone)
    content.unknown += reading.unmapped(in: table) { isIgnored($0) }
    for row in table.rows {
      var text: [String: String] = [:]
      for name in row.values.keys { text[name] = Self.text(name, row) }
      statements += try reading.statements(of: row, text, &content)
    }
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
