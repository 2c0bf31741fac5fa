import EventLog

/// Checks a map against a catalog, before any data are read.
extension ImportMap {
  /// - Throws: `invalidInput`, naming the member of the map, for an unknown collection or field,
  ///   and for a conversion that can't produce a value of the field.
  func check(against catalog: SchemaCatalog) throws(EventLogError) {
    for key in keys {
      let position = key.source.position
      let collection = try Self.collection(key.kind, at: position, catalog)
      guard collection.isSingleton else {
        throw MapReader.refused(
          position, "writes to \"\(key.kind)\", which has many entities",
          hint: "Keys can write to singletons: use \"tables\" for entities.")
      }
      try Self.check(key.field, [key.source], of: collection, ofDay: false, at: position)
    }
    for table in tables { try Self.check(table, catalog) }
  }

  private static func check(
    _ table: TableMap, _ catalog: SchemaCatalog
  ) throws(EventLogError) {
    let collection = try collection(table.kind, at: table.position, catalog)
    guard collection.isSingleton == (table.key == nil) else {
      throw MapReader.refused(
        table.position,
        collection.isSingleton
          ? "has a \"key\", but there is only one \"\(table.kind)\"" : "is missing \"key\"")
    }
    guard !table.isEach || table.key != nil else {
      throw MapReader.refused(
        table.position, "has \"several\": \"each\", but there is only one \"\(table.kind)\"")
    }
    try checkTwins(of: table)
    guard table.day == nil || collection.hasDays else {
      throw MapReader.refused(
        table.position, "has \"days\", but \"\(table.kind)\" has none")
    }
    for field in table.fields {
      try check(field.spelling, field.sources, of: collection, ofDay: false, at: field.position)
    }
    for field in table.dayFields {
      try check(field.spelling, field.sources, of: collection, ofDay: true, at: field.position)
    }
  }

  private static func checkTwins(of table: TableMap) throws(EventLogError) {
    if table.twins.isEmpty { return }
    guard table.key != nil, table.day == nil, !table.isEach else {
      throw MapReader.refused(
        table.position, "has \"twins\", which needs \"key\", and neither \"day\" nor \"several\"")
    }
    let names = table.fields.map(\.spelling)
    for name in table.twins where name != TableMap.firstDay && !names.contains(name) {
      throw MapReader.refused(
        table.position, "has \"twins\" with \"\(name)\", which is none of its fields",
        hint: Suggestion.nearest(to: name, among: names).map { "Did you mean \"\($0)\"?" })
    }
  }

  private static func collection(
    _ kind: String, at position: String, _ catalog: SchemaCatalog
  ) throws(EventLogError) -> CollectionSchema {
    if let collection = catalog.collection(kind: kind) { return collection }
    throw MapReader.refused(
      position, "writes to an unknown collection, \"\(kind)\"",
      hint: Suggestion.nearest(to: kind, among: catalog.collections.map(\.kind))
        .map { "Did you mean \"\($0)\"?" })
  }

  private static func check(
    _ field: String, _ sources: [FieldSource], of collection: CollectionSchema, ofDay: Bool,
    at position: String
  ) throws(EventLogError) {
    if collection.reservedNames.contains(field), collection.field(field) == nil, !ofDay {
      throw MapReader.refused(position, "writes to \"\(field)\", which is a reserved name")
    }
    let declared = collection.field(field, ofDay: ofDay)
    for source in sources where source.rounds || source.divisor > 1 {
      let conversion = ValueReader.conversion(of: source, declared?.mechanism)
      if conversion == .whole || conversion == .number && !source.rounds { continue }
      throw MapReader.refused(
        source.position,
        source.rounds
          ? "has \"round\", which needs \"as\": \"whole\""
          : "has \"divide\", which needs \"as\": \"number\" or \"whole\"")
    }
    for source in sources {
      guard let several = source.several, several != .last else { continue }
      if source.rounds {
        throw MapReader.refused(
          source.position,
          "has \"several\": \"\(several.rawValue)\" with \"round\", which would round each row",
          hint: "Leave out \"round\": the field then has the exact number.")
      }
      let conversion = ValueReader.conversion(of: source, declared?.mechanism)
      if conversion == .number || conversion == .whole { continue }
      throw MapReader.refused(
        source.position, "has \"several\": \"\(several.rawValue)\", which needs numbers",
        hint: "Say that the values are numbers: \"as\": \"number\".")
    }
    for source in sources where source.exact != nil {
      // An exact value is kept in a field of the entity, even if the rounded one is a field of a
      // day.
      guard case .column = source.origin, collection.takesFurtherFields else {
        throw MapReader.refused(
          source.position, "has \"exact\", but \"\(collection.kind)\" takes no further fields")
      }
    }
    if declared != nil { return }
    let fields = ofDay ? collection.dayFields : collection.fields
    // A collection without declared fields accepts all fields.
    let takesIt = !ofDay && collection.takesFurtherFields
    if takesIt, fields.isEmpty || sources.contains(where: \.isUndeclared) { return }
    throw MapReader.refused(
      position,
      "writes to an unknown field of \(collection.kind)\(ofDay ? "'s days" : ""), \"\(field)\"",
      hint: Suggestion.nearest(to: field, among: fields.map(\.name)).map {
        "Did you mean \"\($0)\"?"
      }
        ?? (takesIt
          ? "If it is meant, say so in the map: \"undeclared\": true."
          : "Its fields are \(fields.map(\.name).joined(separator: ", "))."))
  }
}
