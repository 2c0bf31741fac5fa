import EventLog

final class RowReading {
  private let map: TableMap
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
    self.zone = zone
    guard let collection = catalog.collection(kind: map.kind) else {
      throw MapReader.refused(map.position, "writes to an unknown collection, \"\(map.kind)\"")
    }
    self.collection = collection
    // Include the columns of joined rows.
    let columns = Set(table.columns).union(table.rows.first.map { Array($0.values.keys) } ?? [])
    fields = try Self.present(map.fields, in: columns, table)
    dayFields = try Self.present(map.dayFields, in: columns, table)
    guard !table.rows.isEmpty else { return }
    let needed = (map.key?.names ?? []) + (map.day?.columns ?? []) + (map.at?.columns ?? [])
    for column in needed where !columns.contains(column) {
      throw Self.missing(column, table)
    }
  }

  private static func present(
    _ fields: [TableMap.Field], in columns: Set<String>, _ table: SourceTable
  ) throws(EventLogError) -> [PresentField] {
    var found: [PresentField] = []
    for field in fields {
      let sources = field.sources.filter { columns.isSuperset(of: $0.columns) }
      if !sources.isEmpty {
        found.append((field, sources))
      } else if !field.sources.contains(where: \.isOptional), !table.rows.isEmpty {
        let lacking = field.sources[0].columns.first { !columns.contains($0) }
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
  func unmapped(in table: SourceTable, _ isIgnored: (String) -> Bool) -> [String] {
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
    // Each row of JSON may have different columns.
    var filled: Set<String> = []
    for row in table.rows {
      for (column, value) in row.values where !value.isEmpty { filled.insert(column) }
    }
    return table.columns.filter { column in
      !column.isEmpty && !known.contains(column) && filled.contains(column) && !isIgnored(column)
    }
    .map { "\(table.title): the column \"\($0)\"" }
  }

  // MARK: - One row

  func statements(
    of row: SourceTable.Row, _ text: [String: String], _ content: inout SourceContent
  ) throws(EventLogError) -> [Statement] {
    let entity = try entity(of: row, text)
    let day = try map.day.map { (source) throws(EventLogError) in
      try self.day(of: row, text, source)
    }
    var at: Timestamp?
    if let source = map.at, let tree = tree(source, row, text), !tree.isEmpty {
      at = try time(of: tree, row, source)
    } else if let day {
      // A day has no time of its own, so use noon in UTC.
      at = Timestamp(milliseconds: Int64(day.number) * 86_400_000 + 43_200_000)
    }
    var found: [Statement] = []
    for (fields, day) in [(fields, nil), (dayFields, day)] {
      for (field, sources) in fields {
        let source = sources.first { holds($0, text) } ?? sources[0]
        let target = Statement.Target(kind: map.kind, entity: entity, day: day, key: "")
        found += try statements(field, source, target, at, row, text, &content)
      }
    }
    return found
  }

  private func entity(
    of row: SourceTable.Row, _ text: [String: String]
  ) throws(EventLogError) -> EntityID? {
    guard let key = map.key else { return nil }
    guard case .success(let text) = key.text({ text[$0].map(MintedKey.part) }),
      let entity = EntityID(kind: map.kind, key: text + row.number)
    else { throw refused(row, "has no usable name for its \(map.kind)") }
    return entity
  }

  private func day(
    of row: SourceTable.Row, _ text: [String: String], _ source: FieldSource
  ) throws(EventLogError) -> Day {
    let reader = ValueReader(source, .register(.date), zone)
    do throws(ValueReader.Refusal) {
      return try reader.day(tree(source, row, text) ?? .json(.null))
    } catch { throw refused(row, source, error) }
  }

  private func time(
    of tree: SourceTree, _ row: SourceTable.Row, _ source: FieldSource
  ) throws(EventLogError) -> Timestamp? {
    var reader = ValueReader(source, .register(.time), zone)
    do throws(ValueReader.Refusal) {
      guard case .write(.string(let text)) = try reader.read(tree) else { return nil }
      return Timestamp(text)
    } catch { throw refused(row, source, error) }
  }

  /// Returns whether the source has a value in this row.
  private func holds(_ source: FieldSource, _ text: [String: String]) -> Bool {
    source.conditions.allSatisfy { condition in
      text[condition.column].map(condition.texts.contains) ?? false
    }
  }

  /// Returns the source's value in this row, or nil if there is none.
  private func tree(
    _ source: FieldSource, _ row: SourceTable.Row, _ text: [String: String]
  ) -> SourceTree? {
    switch source.origin {
    case .key: return nil
    case .column(let column): return row.values[column]
    case .value(let value): return SourceTree(value)
    case .text(let pattern):
      guard case .success(let text) = pattern.text({ text[$0] }) else { return nil }
      return .json(.string(text))
    }
  }

  private func statements(
    _ field: TableMap.Field, _ source: FieldSource, _ target: Statement.Target,
    _ at: Timestamp?, _ row: SourceTable.Row, _ text: [String: String],
    _ content: inout SourceContent
  ) throws(EventLogError) -> [Statement] {
    func part(_ name: String) -> String? {
      name == "day" ? dayText(row, text) : text[name]
    }
    guard case .success(let name) = field.name.text(part) else { return [] }
    let mechanism = collection.field(name, ofDay: target.day != nil)?.mechanism
    var reader = ValueReader(source, mechanism, zone)
    let value: Statement.Value
    do throws(ValueReader.Refusal) {
      value =
        try holds(source, text)
        ? reader.read(tree(source, row, text) ?? .json(.null)) : .nothing(of: mechanism)
    } catch {
      guard source.isLenient else { throw refused(row, source, error.ofField) }
      content.remarks.append(
        "\(row.location): \"\(name)\" was left: its value \(error.reason).")
      return []
    }
    if !value.isNothing { content.valueCount += 1 }
    let isOfMoment =
      target.day != nil || map.at != nil || field.name.names.contains("day")
    var found = [
      Statement(
        target: target, field: name, value: value, initial: source.initial,
        at: isOfMoment ? at : nil, location: row.location)
    ]
    if case .success(let name)? = source.exact?.text(part) {
      // Clear the field if a later export has a whole number.
      found.append(
        Statement(
          target: .init(kind: map.kind, entity: target.entity, day: nil, key: ""), field: name,
          value: .write(reader.exact ?? .null), at: isOfMoment ? at : nil,
          location: row.location))
    } else if let remark = reader.remark {
      content.remarks.append("\(row.location): \"\(name)\" was \(remark).")
    }
    return found
  }

  /// Returns the day of a row, for the name of an entity's field.
  private func dayText(_ row: SourceTable.Row, _ text: [String: String]) -> String? {
    map.day.flatMap { try? day(of: row, text, $0).description }
  }

  private func refused(_ row: SourceTable.Row, _ reason: String) -> EventLogError {
    .cannotImport("\(row.location) cannot be imported: it \(reason).", file: row.location)
  }

  private func refused(
    _ row: SourceTable.Row, _ source: FieldSource, _ refusal: ValueReader.Refusal
  ) -> EventLogError {
    let column = source.columns.map { "\"\($0)\"" }.joined(separator: " and ")
    return .cannotImport(
      "\(row.location) cannot be imported: the value of \(column) \(refusal.reason).",
      hint: refusal.hint, file: row.location)
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
