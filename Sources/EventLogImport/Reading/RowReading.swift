import EventLog

/// Reads the rows of one table.
///
/// A class, because copying its many members would take much code.
final class RowReading {
  private let map: TableMap
  private let table: SourceTable
  private let collection: CollectionSchema
  private let settings: ImportSettings
  /// The rows that the map doesn't leave out.
  let rows: [Int]
  private let day: ColumnSource?
  private let at: ColumnSource?
  /// A field with those of its sources whose columns are present: at least one.
  private typealias PresentField = (field: TableMap.Field, sources: [PresentSource])
  private typealias PresentSource = (source: ColumnSource, column: Statement.Column)

  private let fields: [PresentField]
  private let dayFields: [PresentField]
  private let zones = ZoneCache()
  private let counter: RowCounter

  /// - Throws: `invalidInput` if a required column is missing, or the values of a column have
  ///   different meanings in several conventions.
  init(
    _ map: TableMap, _ table: SourceTable, _ catalog: SchemaCatalog, _ settings: ImportSettings,
    _ counter: RowCounter, _ findings: inout [String]
  ) throws(EventLogError) {
    self.map = map
    self.table = table
    self.settings = settings
    self.counter = counter
    guard let collection = catalog.collection(kind: map.kind) else {
      throw MapReader.refused(map.position, "writes to an unknown collection, \"\(map.kind)\"")
    }
    self.collection = collection
    for condition in map.conditions + map.exceptions
    where table.lacks(condition.column) {
      throw Self.missing(condition.column, table)
    }
    let rows = (0..<table.count).filter { table.isImported($0, by: map) }
    if rows.count < table.count {
      findings.append(
        "\(table.title): the map leaves out \(table.count - rows.count) of \(table.count) rows.")
    }
    self.rows = rows
    func bound(
      _ source: FieldSource, _ mechanism: FieldSchema.Mechanism?
    ) throws(EventLogError) -> ColumnSource {
      try ColumnSource(source, mechanism, in: table, rows: rows, settings, &findings)
    }
    func present(
      _ fields: [TableMap.Field], ofDay: Bool
    ) throws(EventLogError) -> [PresentField] {
      var found: [PresentField] = []
      for field in fields {
        let mechanism = collection.field(field.spelling, ofDay: ofDay)?.mechanism
        var sources: [PresentSource] = []
        for source in try Self.present(field, in: table) {
          sources.append(
            (try bound(source, mechanism), Self.column(field.spelling, source, ofDay, map)))
        }
        if !sources.isEmpty { found.append((field, sources)) }
      }
      return found
    }
    day = try map.day.map { (source) throws(EventLogError) in
      try bound(source, .register(.date))
    }
    at = try map.at.map { (source) throws(EventLogError) in try bound(source, .register(.time)) }
    fields = try present(map.fields, ofDay: false)
    dayFields = try present(map.dayFields, ofDay: true)
    let needed =
      (map.key?.names ?? []) + (map.day?.columns ?? []) + (map.at?.columns ?? [])
      + (map.zone.map { [$0] } ?? [])
    for column in needed where table.lacks(column) {
      throw Self.missing(column, table)
    }
  }

  /// Returns the sources of a field whose columns are present.
  private static func present(
    _ field: TableMap.Field, in table: SourceTable
  ) throws(EventLogError) -> [FieldSource] {
    let sources = field.sources.filter { $0.columns.allSatisfy(table.hasColumn) }
    if sources.isEmpty, !field.sources.contains(where: \.isOptional),
      let column = field.sources[0].columns.first(where: table.lacks)
    {
      throw missing(column, table)
    }
    return sources
  }

  private static func column(
    _ field: String, _ source: FieldSource, _ isOfDay: Bool, _ map: TableMap
  ) -> Statement.Column {
    let isOfKey =
      source.conditions.isEmpty
      && source.columns.allSatisfy { map.key?.names.contains($0) ?? false }
    return Statement.Column(
      field, initial: source.initial, several: source.several,
      isOfRow: isOfDay || map.dayFields.isEmpty, isOfKey: isOfKey)
  }

  private static func missing(_ column: String, _ table: SourceTable) -> EventLogError {
    .cannotImport(
      "\(table.title) has no column \"\(column)\", which the map needs.",
      hint: Suggestion.nearest(to: column, among: table.columns)
        .map { "It has a column \"\($0)\": is that what the map means?" }
        ?? "Check that it is an export of that app.", file: table.title)
  }

  /// Returns the columns with values that the map doesn't mention.
  var unmapped: [String] {
    let known = map.columnNames
    return table.filledColumns().filter { !known.contains($0) }
  }

  // MARK: - One row

  /// The values that all fields of a row share.
  private struct RowContext {
    var row: Int
    var entity: EntityID?
    var twin: Statement.Twin?
    var day: Day?
    var at: Timestamp?
    var zone: ImportZone?
    /// The last one that was made for a statement.
    var shared: Statement.Row?
  }

  /// Adds the statements of a row.
  func read(
    _ row: Int, into statements: inout RepeatedValues, _ content: inout SourceContent
  ) throws(EventLogError) {
    var context = RowContext(row: row, zone: try zone(of: row))
    if let day { context.day = try self.day(of: context, day) }
    (context.entity, context.twin) = try entity(of: row, on: context.day)
    context.at = try time(of: context, &content)
    for (fields, day) in [(fields, nil), (dayFields, context.day)] {
      for (field, sources) in fields {
        let source = sources.first { table.holds($0.source.source, in: row) } ?? sources[0]
        if let statement = try statement(field, source, on: day, &context, &content) {
          try statements.add(statement)
        }
      }
    }
  }

  /// Returns the entity of a row, and which of the rows with the same key it is.
  private func entity(
    of row: Int, on day: Day?
  ) throws(EventLogError) -> (EntityID?, Statement.Twin?) {
    guard let pattern = map.key else { return (nil, nil) }
    var isNamed = false
    let key = pattern.text { name in
      guard let text = table.text(of: name, in: row) else { return nil }
      if !text.isEmpty { isNamed = true }
      return MintedKey.part(text)
    }
    guard case .success(let text) = key, isNamed || pattern.names.isEmpty,
      let entity = EntityID(kind: map.kind, key: text)
    else {
      let columns = pattern.names.map { "\"\($0)\"" }.joined(separator: " and ")
      throw table.refused(
        row, "it has no usable \(columns) for the key of its \(map.kind)",
        hint: "Correct the row, or leave such rows out: \"unless\" in the map.")
    }
    guard map.isEach, let day else { return (entity, table.twin(of: row)) }
    return (entity, Statement.Twin(number: counter.number(text, day), traits: [], day: day))
  }

  /// Returns the zone of the row's local times and days.
  private func zone(of row: Int) throws(EventLogError) -> ImportZone? {
    guard let column = map.zone, let name = table.text(of: column, in: row), !name.isEmpty else {
      return settings.zone
    }
    if let zone = zones.zone(name, settings.zoneNamed) { return zone }
    throw table.refused(
      row, "the value of \"\(column)\" is not the name of a time zone: \(name.quoted)",
      hint: "A zone is a name such as Europe/Berlin, an offset such as +02:00, or UTC.")
  }

  private func reader(
    _ source: ColumnSource, _ mechanism: FieldSchema.Mechanism?, _ context: RowContext
  ) -> ValueReader {
    var conventions = source.conventions
    conventions.zone = context.zone
    return ValueReader(source.source, mechanism, conventions)
  }

  private func day(
    of context: RowContext, _ source: ColumnSource
  ) throws(EventLogError) -> Day {
    do throws(ValueReader.Refusal) {
      return try reader(source, .register(.date), context)
        .day(table.value(of: source.source, in: context.row) ?? .json(.null))
    } catch { throw table.refused(context.row, source.source, error.ofRow) }
  }

  private func time(
    of context: RowContext, _ content: inout SourceContent
  ) throws(EventLogError) -> Timestamp? {
    if let at, let tree = table.value(of: at.source, in: context.row), !tree.isEmpty {
      var reader = reader(at, .register(.time), context)
      do throws(ValueReader.Refusal) {
        let time = try reader.time(tree)
        if let remark = reader.remark {
          content.remarks.append(
            "\(table.location(of: context.row)): the time of the row was \(remark).")
        }
        return time
      } catch { throw table.refused(context.row, at.source, error.ofRow) }
    }
    // A day has no time of its own, so use noon in UTC.
    return context.day.flatMap {
      Timestamp(milliseconds: Int64($0.number) * 86_400_000 + 43_200_000)
    }
  }

  private func statement(
    _ field: TableMap.Field, _ present: PresentSource, on day: Day?, _ context: inout RowContext,
    _ content: inout SourceContent
  ) throws(EventLogError) -> Statement? {
    let (source, row) = (present.source.source, context.row)
    func part(_ name: String) -> String? {
      name == "day" ? context.day?.description : table.text(of: name, in: row)
    }
    guard case .success(let name) = field.name.text(part) else { return nil }
    let mechanism = collection.field(name, ofDay: day != nil)?.mechanism
    var reader = reader(present.source, mechanism, context)
    let value: Statement.Value
    do throws(ValueReader.Refusal) {
      value =
        try table.holds(source, in: row)
        ? reader.read(table.value(of: source, in: row) ?? .json(.null)) : .nothing(of: mechanism)
    } catch {
      guard source.isLenient else { throw table.refused(row, source, error.ofCell) }
      content.remarks.append(
        "\(table.location(of: row)): \"\(name)\" was left: its value \(error.reason).")
      return nil
    }
    if !value.isNothing { content.valueCount += 1 }
    // Twins are told apart by their empty values, too.
    if value.isNothing, settings.leavesOutEmpty, context.entity != nil, context.twin == nil,
      reader.remark == nil
    {
      return nil
    }
    let isOfMoment = day != nil || map.at != nil || field.name.names.contains("day")
    let column =
      field.name.names.isEmpty ? present.column : Self.column(name, source, day != nil, map)
    var statement = Statement(shared(day, isOfMoment ? context.at : nil, &context), column, value)
    if case .success(let name)? = source.exact?.text(part) {
      // Clear the field if a later export has a whole number.
      statement.exact = Statement.Exact(name, reader.exact ?? .null)
    } else if let remark = reader.remark {
      content.remarks.append("\(table.location(of: row)): \"\(name)\" was \(remark).")
    }
    return statement
  }

  /// Returns the members of a statement that it shares with others of the row.
  private func shared(
    _ day: Day?, _ at: Timestamp?, _ context: inout RowContext
  ) -> Statement.Row {
    if let known = context.shared, known.target.day == day, known.at == at { return known }
    let target = Statement.Target(kind: map.kind, entity: context.entity, day: day, key: "")
    let new = Statement.Row(
      target, at: at, table.location(of: context.row), twin: context.twin)
    context.shared = new
    return new
  }
}

/// Counts the rows with the same key and day, over all files of a table.
final class RowCounter {
  private struct Name: Hashable {
    var key: String
    var day: Day
  }

  private var counts: [Name: Int] = [:]

  /// Returns the number of the next row, from 1.
  func number(_ key: String, _ day: Day) -> Int {
    counts[Name(key: key, day: day), default: 0] += 1
    return counts[Name(key: key, day: day), default: 0]
  }
}

/// The zones of a table by name, each looked up once.
private final class ZoneCache {
  private var zones: [String: ImportZone?] = [:]

  func zone(_ name: String, _ find: (String) -> ImportZone?) -> ImportZone? {
    if let known = zones[name] { return known }
    let zone = find(name)
    zones[name] = .some(zone)
    return zone
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
