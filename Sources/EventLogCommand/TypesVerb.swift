import EventLog

extension Verb {
  static let types = Verb(
    name: "types", summary: "the events that can be appended, and their fields",
    usage: ["types [TYPE]"], options: [.json], wordsMax: 1,
    examples: [
      ("eventlog types", "all types; fields in brackets may be left out"),
      ("eventlog types habit.created", "the fields of one, and what each must be"),
    ]
  ) { arguments, console in
    let catalog = SchemaCatalog.standard
    guard let name = arguments.words.first else {
      try list(catalog, console)
      return .yes
    }
    guard let (collection, event) = catalog.type(name) else {
      let near = Suggestion.nearest(to: name, among: catalog.typeNames)
      throw EventLogError(
        usage: "The type \"\(name)\" is not known.",
        hint: near.map { "Did you mean \($0)?" } ?? "eventlog types lists the types.")
    }
    if console.isJSON {
      try console.print(json(event, collection).text)
    } else {
      try show(event, collection, console)
    }
    return .yes
  }

  private static func list(_ catalog: SchemaCatalog, _ console: Console) throws {
    if console.isJSON {
      let types = catalog.collections.flatMap { collection in
        collection.events.map { json($0, collection) }
      }
      try console.print(JSONValue.sorted([.init(name: "types", value: .array(types))]).text)
      return
    }
    for collection in catalog.collections {
      try console.print(
        console.styled(collection.section, .bold)
          + (collection.isSingleton ? "" : "  (each a \(collection.kind)/<key>)"))
      var table = Table()
      for event in collection.events {
        let members = event.members.map { isNeeded($0) ? $0.name : "[\($0.name)]" }
        table.add([
          event.type, (members + (event.writesFields ? ["FIELD…"] : [])).joined(separator: " "),
          console.styled(event.summary, .dim),
        ])
      }
      for line in table.lines(console) { try console.print(line) }
    }
  }

  private static func show(
    _ event: EventSchema, _ collection: CollectionSchema, _ console: Console
  ) throws {
    try console.print("\(console.styled(event.type, .bold)): \(event.summary)")
    try console.print(
      collection.isSingleton
        ? "It takes no entity."
        : event.lifecycle == .begins
          ? "It begins an entity, \(collection.kind)/<key>; without a key one is minted."
          : "It names an entity, \(collection.kind)/<key>.")
    var table = Table(["field", "value"])
    for (name, phrase) in fields(event, collection) { table.add([name, phrase]) }
    if !table.isEmpty { for line in table.lines(console) { try console.print(line) } }
    if event.writesFields, collection.takesFurtherFields {
      try console.print("Any other field takes any JSON value.")
    }
  }

  /// Whether a person has to give the member: a day that is left out is today.
  private static func isNeeded(_ member: MemberSchema) -> Bool {
    member.isRequired && member.role != .day
  }

  /// The members of the type's data and what each must be.
  private static func fields(
    _ event: EventSchema, _ collection: CollectionSchema
  ) -> [(String, String)] {
    var fields = event.members.map { member -> (String, String) in
      (member.name, phrase(member.role, collection) + (isNeeded(member) ? ", needed" : ""))
    }
    guard event.writesFields else { return fields }
    for field in collection.fields {
      guard case .register(let rule) = field.mechanism,
        collection.isSingleton
          || !SchemaCatalog.standard.reservedFieldNames.contains(field.name)
      else { continue }
      fields.append((field.name, rule.phrase + (field.note.isEmpty ? "" : "; \(field.note)")))
    }
    return fields
  }

  private static func phrase(
    _ role: MemberSchema.Role, _ collection: CollectionSchema
  ) -> String {
    switch role {
    case .day: return "a real date YYYY-MM-DD; today where it is left out"
    case .set: return "a whole number from 0 to 1000000000"
    case .advance: return "a whole number from -1000000000 to 1000000000"
    case .key: return "the name of the set"
    case .include, .exclude: return "texts, separated by commas"
    case .write(let name):
      let field = (collection.dayFields + collection.fields).first { $0.name == name }
      guard case .register(let rule)? = field?.mechanism else { return "any JSON value" }
      return rule.phrase
    }
  }

  private static func json(_ event: EventSchema, _ collection: CollectionSchema) -> JSONValue {
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
