import EventLog

/// The mapping of a table's rows to a collection.
struct TableMap: Sendable {
  /// A field, whose name may contain columns in braces.
  struct Field: Sendable {
    var name: NamePattern
    var spelling: String
    /// The possible sources, of which the first one with all columns present is used.
    var sources: [FieldSource]
    var position: String
  }

  /// The table that has additional columns for each row, found by a common column.
  struct Join: Sendable {
    var file: String
    var column: String
  }

  struct Condition: Sendable {
    var column: String
    var texts: [Wildcard]

    func matches(_ text: String) -> Bool { texts.contains { $0.matches(text) } }
  }

  /// The reading of each cell of a table with one column per thing as a row of its own, and of each
  /// member of an object.
  struct Wide: Sendable {
    /// The column of such a row that has the name of the cell's column.
    var name: String
    /// The column of such a row that has the value of the cell.
    var value: String
    /// The columns that all rows of a line have.
    var kept: [String]
  }

  enum Form: String, CaseIterable, Sendable { case firestore }

  /// The rows of a SQLite file.
  enum DatabaseRows: Sendable, Hashable {
    case table(String)
    case query(String)
  }

  private enum Several: String, CaseIterable { case each }

  /// The name of the first day of a row, in ``twins``.
  static let firstDay = "{day}"

  /// The files that contain the rows.
  ///
  /// Names in braces become columns of each row.
  var files: [NamePattern]
  /// For JSON and property lists, the path of the member that contains the rows; empty for the
  /// whole file.
  var rows: String?
  /// For a SQLite file, the table or the query.
  var database: DatabaseRows?
  /// The form of the items of a list, if they aren't plain objects.
  var form: Form?
  /// The column of the IDs of rows in an object.
  var idColumn: String?
  /// The names of the columns of a file without a header.
  var columns: [String]
  var kind: String
  /// Nil for a singleton.
  var key: NamePattern?
  /// Whether rows with the same key, or of the same day, are different entities.
  var isEach: Bool
  /// The traits that tell rows with the same key apart: names of fields, and ``firstDay``.
  var twins: [String]
  /// The texts of columns that a row needs to be imported.
  var conditions: [Condition]
  /// The texts of columns with which a row is left out.
  var exceptions: [Condition]
  var join: Join?
  @Boxed var wide: Wide?
  /// Whether the table is read only if the files of the one before are missing.
  var isFallback: Bool
  var fields: [Field]
  @Boxed var day: FieldSource?
  var dayFields: [Field]
  /// The column with the time of the row.
  var at: FieldSource?
  /// The column with the zone of the row's local times.
  var zone: String?
  var position: String

  private static let names = [
    "files", "rows", "form", "table", "query", "id", "columns", "kind", "key", "several", "twins",
    "when",
    "unless",
    "wide", "fallback", "join", "fields", "day", "days", "at", "zone",
  ]

  init(_ value: JSONValue, at position: String) throws(EventLogError) {
    let reader = try MapReader(value, at: position, taking: Self.names)
    self.position = position
    var patterns: [NamePattern] = []
    for text in try reader.texts("files") {
      patterns.append(try FieldSource.pattern(text, reader))
    }
    files = patterns
    rows = try reader.text("rows")
    idColumn = try reader.text("id")
    if let table = try reader.text("table") { database = .table(table) }
    if let query = try reader.text("query") { database = .query(query) }
    guard ["rows", "table", "query"].count(where: reader.has) < 2 else {
      throw reader.refused("takes only one of \"rows\", \"table\" and \"query\"")
    }
    guard !files.isEmpty || rows != nil || database != nil else {
      throw reader.refused("needs \"files\", \"rows\", \"table\" or \"query\"")
    }
    form = try reader.word("form", Form.self)
    for name in ["id", "form"] where reader.has(name) && rows == nil {
      throw reader.refused("has \"\(name)\", which only \"rows\" can have")
    }
    columns = try reader.texts("columns")
    kind = try reader.neededText("kind")
    key = try reader.text("key").map { (text) throws(EventLogError) in
      try FieldSource.pattern(text, reader)
    }
    isEach = try reader.word("several", Several.self) != nil
    twins = try reader.texts("twins")
    conditions = try Self.conditions("when", reader)
    exceptions = try Self.conditions("unless", reader)
    join = try Self.join(reader)
    wide = try Self.wide(reader)
    isFallback = try reader.flag("fallback")
    fields = try Self.fields("fields", reader)
    dayFields = try Self.fields("days", reader)
    day = try reader.object["day"].map { (value) throws(EventLogError) in
      try FieldSource(ofRow: value, at: reader.inside("day"))
    }
    at = try reader.object["at"].map { (value) throws(EventLogError) in
      try FieldSource(ofRow: value, at: reader.inside("at"))
    }
    zone = try reader.text("zone")
    guard dayFields.isEmpty == (day == nil) else {
      throw reader.refused("needs \"day\" and \"days\" together")
    }
    if fields.isEmpty, dayFields.isEmpty { throw reader.refused("has no fields") }
  }

  private static func conditions(
    _ name: String, _ reader: MapReader
  ) throws(EventLogError) -> [Condition] {
    var conditions: [Condition] = []
    for member in try reader.members(name) {
      let inside = try MapReader(
        .object(JSONObject([member])), at: reader.inside(name), taking: [member.name])
      conditions.append(
        Condition(
          column: member.name, texts: try inside.texts(member.name).map { Wildcard($0) }))
    }
    return conditions
  }

  private static func wide(_ reader: MapReader) throws(EventLogError) -> Wide? {
    guard let value = reader.object["wide"] else { return nil }
    let wide = try MapReader(value, at: reader.inside("wide"), taking: ["name", "value", "keep"])
    return Wide(
      name: try wide.neededText("name"), value: try wide.neededText("value"),
      kept: try wide.texts("keep"))
  }

  private static func join(_ reader: MapReader) throws(EventLogError) -> Join? {
    guard let value = reader.object["join"] else { return nil }
    let join = try MapReader(value, at: reader.inside("join"), taking: ["file", "on"])
    return Join(file: try join.neededText("file"), column: try join.neededText("on"))
  }

  private static func fields(
    _ name: String, _ reader: MapReader
  ) throws(EventLogError) -> [Field] {
    var fields: [Field] = []
    for member in try reader.members(name) {
      let position = "\(reader.inside(name)).\(member.name)"
      var values = [member.value]
      if case .array(let several) = member.value { values = several }
      var sources: [FieldSource] = []
      for (index, value) in values.enumerated() {
        let part = values.count > 1 ? "\(position)[\(index)]" : position
        sources.append(try FieldSource(ofRow: value, at: part))
      }
      if sources.isEmpty { throw MapReader.refused(position, "has no source") }
      fields.append(
        Field(
          name: try FieldSource.pattern(member.name, reader), spelling: member.name,
          sources: sources, position: position))
    }
    return fields
  }

  /// Whether the rows are those of a CSV file.
  var isCSV: Bool { rows == nil && database == nil }

  /// The columns that the map mentions.
  var columnNames: Set<String> {
    var names = Set((key?.names ?? []) + files.flatMap(\.names) + (wide?.kept ?? []))
    names.formUnion((fields + dayFields).flatMap(\.name.names).filter { $0 != "day" })
    let sources = (fields + dayFields).flatMap(\.sources)
    for source in sources + [day, at].compactMap({ $0 }) {
      names.formUnion(source.columns)
      names.formUnion(source.conditions.map(\.column))
    }
    names.formUnion((conditions + exceptions).map(\.column))
    names.formUnion([join?.column, zone].compactMap { $0 })
    return names
  }
}
