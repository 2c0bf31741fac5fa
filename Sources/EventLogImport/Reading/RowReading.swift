import EventLog

/// Reads the rows of one table.
struct RowReading {
  private let map: TableMap
  private let table: SourceTable
  private let collection: CollectionSchema
  private let zone: ImportZone?
  /// A field with those of its sources whose columns are present: at least one.
  private typealias PresentField = (field: TableMap.Field, sources: [FieldSource])

  private let fields: [PresentField]
  private let dayFields: [PresentField]

  /// - Throws: `invalidInput` if a required column is missing.
  init(
    _ map: TableMap, _ table: SourceTable, _ catalog: SchemaCatalog, _ zone: ImportZone?
  ) throws(EventLogError) {
    self.map = map
    self.table = table
    self.zone = zone
    guard let collection = catalog.collection(kind: map.kind) else {
      throw MapReader.refused(map.position, "writes to an unknown collection, \"\(map.kind)\"")
    }
    self.collection = collection
    fields = try Self.present(map.fields, in: table)
    dayFields = try Self.present(map.dayFields, in: table)
    guard table.count > 0 else { return }
    let needed = (map.key?.names ?? []) + (map.day?.columns ?? []) + (map.at?.columns ?? [])
    for column in needed where !table.hasColumn(column) {
      throw Self.missing(column, table)
    }
  }

  private static func present(
    _ fields: [TableMap.Field], in table: SourceTable
  ) throws(EventLogError) -> [PresentField] {
    var found: [PresentField] = []
    for field in fields {
      let sources = field.sources.filter { $0.columns.allSatisfy(table.hasColumn) }
      if !sources.isEmpty {
        found.append((field, sources))
      } else if !field.sources.contains(where: \.isOptional), table.count > 0 {
        let lacking = field.sources[0].columns.first { !table.hasColumn($0) }
        throw missing(lacking ?? "", table)
      }
    }
    return found
  }

  private static func missing(_ column: String, _ table: SourceTable) -> EventLogError {
    .cannotImport(
      "\(table.title) has no column \"\(column)\", which the map needs.",
      hint: Suggestion.nearest(to: column, among: table.columns)
        .map { "It has a column \"\($0)\": is that what the map means?" }
        ?? "Check that it is an export of that app.", file: table.title)
  }

  /// Returns the columns with values that the map doesn't mention.
  func unmapped(_ isIgnored: (String) -> Bool) -> [String] {
    var known = Set(map.key?.names ?? [])
    for source in (map.fields + map.dayFields).flatMap(\.sources)
      + [map.day, map.at].compactMap({
        $0
      })
    {
      known.formUnion(source.columns)
      known.formUnion(source.conditions.map(\.column))
    }
    for pattern in map.files { known.formUnion(pattern.names) }
    if let join = map.join { known.insert(join.column) }
    return table.filledColumns().filter { !known.contains($0) && !isIgnored($0) }
    .map { "\(table.title): the column \"\($0)\"" }
  }

  // MARK: - One row

  func statements(
    of row: Int, _ content: inout SourceContent
  ) throws(EventLogError) -> [Statement] {
    let entity = try entity(of: row)
    let day = try map.day.map { (source) throws(EventLogError) in
      try self.day(of: row, source)
    }
    var at: Timestamp?
    if let source = map.at, let tree = tree(source, row), !tree.isEmpty {
      at = try time(of: tree, row, source)
    } else if let day {
      // A day has no time of its own, so use noon in UTC.
      at = Timestamp(milliseconds: Int64(day.number) * 86_400_000 + 43_200_000)
    }
    var found: [Statement] = []
    for (fields, day) in [(fields, nil), (dayFields, day)] {
      for (field, sources) in fields {
        let source = sources.first { holds($0, row) } ?? sources[0]
        let target = Statement.Target(kind: map.kind, entity: entity, day: day, key: "")
        found += try statements(field, source, target, at, row, &content)
      }
    }
    return found
  }

  private func entity(
    of row: Int
  ) throws(EventLogError) -> EntityID? {
    guard let key = map.key else { return nil }
    guard case .success(let text) = key.text({ table.text(of: $0, in: row).map(MintedKey.part) }),
      let entity = EntityID(kind: map.kind, key: text + table.number(of: row))
    else { throw refused(row, "has no usable name for its \(map.kind)") }
    return entity
  }

  private func day(
    of row: Int, _ source: FieldSource
  ) throws(EventLogError) -> Day {
    let reader = ValueReader(source, .register(.date), zone)
    do throws(ValueReader.Refusal) {
      return try reader.day(tree(source, row) ?? .json(.null))
    } catch { throw refused(row, source, error) }
  }

  private func time(
    of tree: SourceTree, _ row: Int, _ source: FieldSource
  ) throws(EventLogError) -> Timestamp? {
    var reader = ValueReader(source, .register(.time), zone)
    do throws(ValueReader.Refusal) {
      guard case .write(.string(let text)) = try reader.read(tree) else { return nil }
      return Timestamp(text)
    } catch { throw refused(row, source, error) }
  }

  /// Returns whether the source has a value in this row.
  private func holds(_ source: FieldSource, _ row: Int) -> Bool {
    source.conditions.allSatisfy { condition in
      table.text(of: condition.column, in: row).map(condition.texts.contains) ?? false
    }
  }

  /// Returns the source's value in this row, or nil if there is none.
  private func tree(
    _ source: FieldSource, _ row: Int
  ) -> SourceTree? {
    switch source.origin {
    case .key: return nil
    case .column(let column): return table.value(of: column, in: row)
    case .value(let value): return SourceTree(value)
    case .text(let pattern):
      guard case .success(let text) = pattern.text({ table.text(of: $0, in: row) }) else { return nil }
      return .json(.string(text))
    }
  }

  private func statements(
    _ field: TableMap.Field, _ source: FieldSource, _ target: Statement.Target,
    _ at: Timestamp?, _ row: Int,
    _ content: inout SourceContent
  ) throws(EventLogError) -> [Statement] {
    func part(_ name: String) -> String? {
      name == "day" ? dayText(row) : table.text(of: name, in: row)
    }
    guard case .success(let name) = field.name.text(part) else { return [] }
    let mechanism = collection.field(name, ofDay: target.day != nil)?.mechanism
    var reader = ValueReader(source, mechanism, zone)
    let value: Statement.Value
    do throws(ValueReader.Refusal) {
      value =
        try holds(source, row)
        ? reader.read(tree(source, row) ?? .json(.null)) : .nothing(of: mechanism)
    } catch {
      guard source.isLenient else { throw refused(row, source, error.ofField) }
      content.remarks.append(
        "\(table.location(of: row)): \"\(name)\" was left: its value \(error.reason).")
      return []
    }
    if !value.isNothing { content.valueCount += 1 }
    let isOfMoment =
      target.day != nil || map.at != nil || field.name.names.contains("day")
    var found = [
      Statement(
        target: target, field: name, value: value, initial: source.initial,
        at: isOfMoment ? at : nil, location: table.location(of: row))
    ]
    if case .success(let name)? = source.exact?.text(part) {
      // Clear the field if a later export has a whole number.
      found.append(
        Statement(
          target: .init(kind: map.kind, entity: target.entity, day: nil, key: ""), field: name,
          value: .write(reader.exact ?? .null), at: isOfMoment ? at : nil,
          location: table.location(of: row)))
    } else if let remark = reader.remark {
      content.remarks.append("\(table.location(of: row)): \"\(name)\" was \(remark).")
    }
    return found
  }

  /// Returns the day of a row, for the name of an entity's field.
  private func dayText(_ row: Int) -> String? {
    map.day.flatMap { try? day(of: row, $0).description }
  }

  private func refused(_ row: Int, _ reason: String) -> EventLogError {
    .cannotImport("\(table.location(of: row)) cannot be imported: it \(reason).", file: table.title, line: table.location(of: row).line)
  }

  private func refused(
    _ row: Int, _ source: FieldSource, _ refusal: ValueReader.Refusal
  ) -> EventLogError {
    let column = source.columns.map { "\"\($0)\"" }.joined(separator: " and ")
    return .cannotImport(
      "\(table.location(of: row)) cannot be imported: the value of \(column) \(refusal.reason).",
      hint: refusal.hint, file: table.title, line: table.location(of: row).line)
  }
}

extension Statement.Value {
  /// Returns the value of a field that has none in the source.
  static func nothing(of mechanism: FieldSchema.Mechanism?) -> Statement.Value {
    switch mechanism {
    case .counter: .count(nil)
    case .members: .members([])
    case .register, nil: .write(.null)
    }
  }
}
