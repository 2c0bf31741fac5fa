import EventLog

/// A state as rows with fields, read from the JSON of `project --json`.
struct StateTable {
  /// The sections that the state contains.
  private(set) var sections: Set<String> = []
  /// The fields of each row: of singletons, entities, and days.
  private(set) var rows: [String: JSONObject] = [:]
  /// The conflicts by ID, or nil if the state doesn't contain them.
  private(set) var conflicts: JSONObject?
  /// The members about the journal: `user`, `frontier`, `eventCount`.
  private(set) var journal: [String: JSONValue] = [:]
  /// The contested fields of singletons by section, or nil if the state doesn't contain them.
  private var contested: JSONObject?

  /// Creates the table of a snapshot, with all sections if `sections` is nil.
  init(
    _ snapshot: Snapshot, _ catalog: SchemaCatalog, sections: Set<String>? = nil
  ) throws(EventLogError) {
    try self.init(json: JSONValue(canonical: snapshot.json(sections: sections)[...]), catalog)
  }

  /// Throws `invalidInput` if the JSON isn't a state of the catalog's collections.
  init(json: JSONValue, _ catalog: SchemaCatalog) throws(EventLogError) {
    guard case .object(let state) = json else { throw Self.misshapen("it", "an object") }
    for member in state.members {
      switch member.name {
      case "user", "eventCount", "frontier": journal[member.name] = member.value
      case "contested": contested = try Self.object(member.value, "contested")
      case "conflicts":
        sections.insert("conflicts")
        conflicts = try Self.conflicts(member.value)
      default: sections.insert(member.name)
      }
    }
    // The command also prints empty sections of collections that the catalog may lack.
    sections = sections.filter {
      catalog.sections.contains($0) || ![.array([]), .object(JSONObject())].contains(state[$0])
    }
    for collection in catalog.collections {
      if let value = state[collection.section] {
        if collection.isSingleton {
          rows[collection.kind] = try singleton(value, collection)
        } else {
          try add(entities: value, collection)
        }
      }
      guard let days = collection.presentation.daySection, let value = state[days.section] else {
        continue
      }
      for item in try Self.array(value, days.section) {
        let day = try Self.object(item, days.section)
        let key = try Self.text(day[days.entityMember], days.entityMember, in: days.section)
        addDay(
          of: "\(collection.kind)/\(key)",
          try Self.text(day["date"], "date", in: days.section),
          day.without("date", days.entityMember))
      }
    }
    try checkSections(catalog)
  }

  /// Throws if no collection has one of the sections: such a section would never differ.
  private func checkSections(_ catalog: SchemaCatalog) throws(EventLogError) {
    let unknown = sections.subtracting(catalog.sections).sorted()
    guard let first = unknown.first else { return }
    throw EventLogError(
      invalidInput: "The expected state has a section \"\(first)\" that no collection has.",
      hint: "Pass the records of its collection when you open the journal or the store.")
  }

  // MARK: - Rows

  private func singleton(
    _ value: JSONValue, _ collection: CollectionSchema
  ) throws(EventLogError) -> JSONObject {
    var fields = try Self.object(value, collection.section)
    if conflicts == nil, let names = contested?[collection.section] { fields["contested"] = names }
    return fields
  }

  private mutating func add(
    entities: JSONValue, _ collection: CollectionSchema
  ) throws(EventLogError) {
    let section = collection.section
    for item in try Self.array(entities, section) {
      let entity = try Self.object(item, section)
      let row = "\(collection.kind)/\(try Self.text(entity["id"], "id", in: section))"
      rows[row] =
        collection.presentation.isFlat
        ? shown(entity.without("id")) : try fields(of: entity, section)
      guard collection.hasDays, collection.presentation.daySection == nil,
        let days = entity["days"]
      else { continue }
      for item in try Self.array(days, section) {
        let day = try Self.object(item, section)
        addDay(
          of: row, try Self.text(day["date"], "date", in: section), try fields(of: day, section))
      }
    }
  }

  private mutating func addDay(of row: String, _ date: String, _ fields: JSONObject) {
    rows["\(row)@\(date)"] = shown(fields)
  }

  /// Returns the object's `fields`, and its members about them.
  private func fields(
    of object: JSONObject, _ section: String
  ) throws(EventLogError) -> JSONObject {
    var fields =
      try object["fields"].map { (value) throws(EventLogError) in
        try Self.object(value, section)
      }
      ?? JSONObject()
    for name in ["contested", "deleted"] { fields[name] = object[name] }
    return shown(fields)
  }

  /// Returns the fields, without `contested` if conflicts are compared, because it follows from
  /// them.
  private func shown(_ fields: JSONObject) -> JSONObject {
    conflicts == nil ? fields : fields.without("contested")
  }

  private static func conflicts(_ value: JSONValue) throws(EventLogError) -> JSONObject {
    var conflicts = JSONObject()
    for item in try array(value, "conflicts") {
      let conflict = try object(item, "conflicts")
      conflicts[try text(conflict["id"], "id", in: "conflicts")] = item
    }
    return conflicts
  }

  // MARK: - Shapes

  private static func misshapen(_ name: String, _ shape: String) -> EventLogError {
    EventLogError(
      invalidInput: "The expected state is not valid: \(name) must be \(shape).",
      hint: "eventlog project --json prints one.")
  }

  private static func object(
    _ value: JSONValue, _ section: String
  ) throws(EventLogError) -> JSONObject {
    guard case .object(let object) = value else {
      throw misshapen("\"\(section)\", or what is in it,", "an object")
    }
    return object
  }

  private static func array(
    _ value: JSONValue, _ section: String
  ) throws(EventLogError) -> [JSONValue] {
    guard case .array(let array) = value else { throw misshapen("\"\(section)\"", "an array") }
    return array
  }

  private static func text(
    _ value: JSONValue?, _ member: String, in section: String
  ) throws(EventLogError) -> String {
    guard case .string(let text) = value else {
      throw misshapen("the \"\(member)\" of each of \"\(section)\"", "text")
    }
    return text
  }
}

extension JSONObject {
  fileprivate func without(_ names: String...) -> JSONObject {
    var object = self
    for name in names { object[name] = nil }
    return object
  }
}
