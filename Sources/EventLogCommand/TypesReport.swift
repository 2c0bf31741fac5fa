import EventLog
import EventLogCollections

/// The event types of a catalog, as text or JSON.
struct TypesReport {
  let schema: AppliedSchema
  let console: Console

  private var catalog: SchemaCatalog { schema.catalog }

  // MARK: - All types

  /// Lists the types of the app, or of the core if there is no schema of an app, and only the kinds
  /// of the other collections.
  func list() throws {
    if console.isJSON { return try printJSON(catalog.collections) }
    let listed = schema.declared.isEmpty ? SchemaCatalog.standard.collections : schema.declared
    let named = catalog.collections.filter { !listed.contains($0) }
    for collection in catalog.collections where !named.contains(collection) {
      try print(collection)
    }
    guard !named.isEmpty else { return }
    try console.print(console.styled("other kinds", .bold) + "  (eventlog types KIND)")
    var table = Table()
    for collection in named {
      let sets = collection.fields + collection.dayFields
      table.add([collection.kind, sets.map(\.name).joined(separator: " ")])
    }
    for line in table.lines(console) { try console.print(line) }
  }

  private func print(_ collection: CollectionSchema) throws {
    try console.print(
      console.styled(collection.section, .bold)
        + (collection.isSingleton ? "" : "  (each a \(collection.kind)/<key>)"))
    var table = Table()
    for event in collection.events {
      let members = event.members.map { isNeeded($0) ? $0.name : "[\($0.name)]" }
      let further = event.writesFields ? ["FIELD…"] : []
      table.add([
        event.type, (members + further).joined(separator: " "),
        console.styled(Visible.text(event.summary), .dim),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    let names = Self.namedRegisters(of: collection).map(\.field.name)
    let naming = collection.events.filter(\.writesFields)
    guard !names.isEmpty, !naming.isEmpty else { return }
    let isOpen =
      collection.takesFurtherFields && !naming.contains { $0.isClosedAtCommandLine(of: collection) }
    try console.print(
      "  FIELD is \(isOpen ? "any name, such as" : "one of"): \(names.joined(separator: " "))")
  }

  private func printJSON(_ collections: [CollectionSchema]) throws {
    let types = collections.flatMap { collection in
      collection.events.map { json($0, collection) }
    }
    try console.print(JSONValue.sorted([.init(name: "types", value: .array(types))]).text)
  }

  // MARK: - One type

  /// Prints a type with its fields, or the types of a kind.
  func print(named name: String) throws {
    if let collection = find(name) {
      return console.isJSON ? try printJSON([collection]) : try print(collection)
    }
    guard let (collection, event) = catalog.type(name) else {
      if SchemaCatalog.storeTypes.contains(name) {
        throw EventLogError(
          usage: "The type \"\(name)\" is written only by the store and cannot be"
            + " appended.", hint: "eventlog types lists the types that can be appended.")
      }
      let names = catalog.typeNames + catalog.collections.map(\.kind)
      let near = Suggestion.nearest(to: name, among: names)
      throw EventLogError(
        usage: "Unknown type \"\(name)\".",
        hint: near.map { "Did you mean \($0)?" } ?? "eventlog types lists the types.")
    }
    if console.isJSON {
      try console.print(json(event, collection).text)
    } else {
      try show(event, collection)
    }
  }

  /// Returns the collection with a kind or section.
  private func find(_ name: String) -> CollectionSchema? {
    catalog.collection(kind: name) ?? catalog.collections.first { $0.section == name }
  }

  /// Prints a collection as a schema file; if nil, those of the app, or all outside the core if
  /// there is no schema of an app.
  func declare(kind: String?) throws {
    var collections: [CollectionSchema]
    if let kind {
      guard let collection = find(kind) else {
        throw EventLogError.usage(
          "Unknown kind \"\(kind)\".", "types",
          hint: Suggestion.nearest(to: kind, among: catalog.collections.map(\.kind))
            .map { "Did you mean \($0)?" })
      }
      collections = [collection]
    } else {
      let core = SchemaCatalog.standard.collections
      collections =
        schema.declared.isEmpty
        ? catalog.collections.filter { !core.contains($0) } : schema.declared
    }
    try console.print(CollectionSchema.file(collections).text)
  }

  private func show(_ event: EventSchema, _ collection: CollectionSchema) throws {
    try console.print("\(console.styled(event.type, .bold)): \(Visible.text(event.summary))")
    try console.print(
      collection.isSingleton
        ? "It takes no entity."
        : event.lifecycle == .begins
          ? "It creates an entity, \(collection.kind)/<key>; without a key, one is generated."
          : "It applies to an entity, \(collection.kind)/<key>.")
    var table = Table(["field", "value"])
    for (name, phrase) in fields(event, collection) { table.add([name, Visible.text(phrase)]) }
    if !table.isEmpty { for line in table.lines(console) { try console.print(line) } }
    if event.writesFields, collection.takesFurtherFields {
      let isForced = event.isClosedAtCommandLine(of: collection)
      try console.print(
        "Any other field takes any JSON value" + (isForced ? ", with --force." : "."))
    }
  }

  // MARK: - Fields

  /// Whether the user must provide the member.
  ///
  /// A day defaults to today.
  private func isNeeded(_ member: MemberSchema) -> Bool {
    member.isRequired && member.role != .day
  }

  /// Returns the members of the type's data, and the required form of each.
  private func fields(
    _ event: EventSchema, _ collection: CollectionSchema
  ) -> [(String, String)] {
    var fields = event.members.map { member -> (String, String) in
      (member.name, phrase(member, event, collection) + (isNeeded(member) ? "; required" : ""))
    }
    if event.writesFields {
      fields += Self.namedRegisters(of: collection).map { field, rule in
        (field.name, field.phrase(rule) + Self.clause(field))
      }
    }
    if collection.takesFrom(event) {
      let dated = collection.fields.filter(\.isDated).map(\.name).joined(separator: ", ")
      fields.append(
        (
          CollectionSchema.fromMember,
          "a valid date YYYY-MM-DD, from which \(dated) apply; by default today"
        ))
    }
    return fields
  }

  /// Returns the registers that events write by their names.
  private static func namedRegisters(
    of collection: CollectionSchema
  ) -> [(field: FieldSchema, rule: ValueRule)] {
    collection.fields.compactMap { field in
      guard case .register(let rule) = field.mechanism,
        !collection.reservedNames.contains(field.name)
      else { return nil }
      return (field, rule)
    }
  }

  private static func clause(_ field: FieldSchema?) -> String {
    field.map { $0.note.isEmpty ? "" : "; \($0.note)" } ?? ""
  }

  private func phrase(
    _ member: MemberSchema, _ event: EventSchema, _ collection: CollectionSchema
  ) -> String {
    let isMixed = event.members.contains { $0.role == .day && !$0.isRequired }
    let isOfDay = member.role.field.map { collection.field($0, ofDay: true) != nil } ?? false
    let field = member.role.field.flatMap { collection.field($0, ofDay: isOfDay) }
    let end = Self.clause(field) + (isMixed && isOfDay ? "; a field of a day" : "")
    switch member.role {
    case .day:
      return isMixed
        ? "a valid date YYYY-MM-DD; only with a field of a day, then by default today"
        : "a valid date YYYY-MM-DD; by default today"
    case .set: return ValueRule.amount.phrase + end
    case .advance: return Amount.incrementPhrase + end
    case .key:
      let sets = (collection.fields + collection.dayFields).filter { $0.mechanism == .members }
      return "the name of the set"
        + (sets.isEmpty ? "" : ": \(sets.map(\.name).joined(separator: ", "))")
    case .include, .exclude:
      let sets = (collection.fields + collection.dayFields).filter { $0.mechanism == .members }
      let phrases = sets.compactMap { set in
        let phrase = set.phrase(set.memberRule)
        return phrase == ValueRule.text.phrase ? nil : "; of \(set.name), each \(phrase)"
      }
      return "texts separated by commas" + phrases.joined()
    case .write:
      guard case .register(let rule)? = field?.mechanism else { return "any JSON value" }
      return (field?.phrase(rule) ?? rule.phrase) + end
    }
  }

  private func json(_ event: EventSchema, _ collection: CollectionSchema) -> JSONValue {
    let members = fields(event, collection).map { name, phrase in
      JSONValue.sorted([
        .init(name: "name", value: .string(name)), .init(name: "value", value: .string(phrase)),
      ])
    }
    return .sorted([
      .init(name: "type", value: .string(event.type)),
      .init(name: "summary", value: .string(event.summary)),
      .init(
        name: "entity", value: collection.isSingleton ? .null : .string(collection.kind)),
      .init(name: "fields", value: .array(members)),
      .init(
        name: "takesFurtherFields",
        value: .bool(event.writesFields && collection.takesFurtherFields)),
    ])
  }
}
