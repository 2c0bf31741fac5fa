/// Checks the event types of a collection whose fields are already checked.
struct EventSchemaCheck {
  let collection: CollectionSchema

  /// The size of the fold's bit mask for required members.
  static let requiredMax = 32

  /// Checks all event types.
  ///
  /// - Throws: `invalidSchema` with the first mistake.
  func check() throws(EventLogError) {
    for event in collection.events { try check(event) }
    if !collection.isSingleton, !collection.events.contains(where: { $0.lifecycle == .begins }) {
      throw .refusedSchema(collection.kind, "none of its types creates an entity")
    }
  }

  private func refused(_ event: EventSchema, _ reason: String) -> EventLogError {
    .refusedSchema(collection.kind, "its type \"\(event.type)\" \(reason)")
  }

  private func check(_ event: EventSchema) throws(EventLogError) {
    guard EventDraft.isValid(type: event.type) else {
      throw refused(event, "must be <kind>.<verb>, 3 to 64 characters of a-z 0-9 . _ -")
    }
    guard !SchemaCatalog.isReserved(type: event.type) else {
      throw refused(event, "is reserved for the store")
    }
    if collection.isSingleton, event.lifecycle != .none {
      throw refused(event, "cannot create, delete or restore a singleton")
    }
    var names: Set<String> = []
    for member in event.members {
      guard SchemaCheck.isName(member.name) else {
        throw refused(
          event, "has a member whose name is not 1 to 64 characters of A-Z a-z 0-9 . _ -")
      }
      guard member.name != CollectionSchema.fromMember || !collection.takesFrom(event) else {
        throw refused(event, "has a member \"from\", which is the day of its dated fields")
      }
      guard names.insert(member.name).inserted else {
        throw refused(event, "declares the member \"\(member.name)\" twice")
      }
    }
    guard event.members.filter(\.isRequired).count <= Self.requiredMax else {
      throw refused(event, "requires more than \(Self.requiredMax) members")
    }
    // Otherwise the order of members would matter: a counter could be both set and advanced.
    var changed: Set<String> = []
    for field in event.members.compactMap(\.role.field) where !changed.insert(field).inserted {
      throw refused(event, "has two members that change the field \"\(field)\"")
    }
    if event.writesFields { try checkFieldsByName(event, changed) }
    try checkSubject(event)
    for member in event.members { try check(member, of: event) }
    try checkAssigns(event)
  }

  /// Checks that no field can be changed twice, by its own name and by a member with another name.
  private func checkFieldsByName(
    _ event: EventSchema, _ changed: Set<String>
  ) throws(EventLogError) {
    let written = changed.subtracting(collection.reservedNames)
    for field in written.sorted() where event.member(field) == nil {
      guard case .register? = collection.readers(of: field).first?.field.mechanism else { continue }
      throw refused(
        event,
        "writes the fields by their names, and has a member with another name that writes"
          + " \"\(field)\", too")
    }
  }

  /// Checks the event's day, its set and its changes.
  private func checkSubject(_ event: EventSchema) throws(EventLogError) {
    func count(_ role: MemberSchema.Role) -> Int { event.members.filter { $0.role == role }.count }
    let days = count(.day)
    if days > 0, collection.isSingleton || !collection.hasDays {
      throw refused(event, "is about a day, but \(collection.kind) has no days")
    }
    guard days <= 1 else { throw refused(event, "has two members for the day") }
    if days == 1, event.writesFields || !event.assigns.isEmpty {
      throw refused(event, "is about a day, so it cannot write fields of the entity")
    }
    let changes = count(.include) + count(.exclude)
    guard count(.key) == min(1, changes), changes <= 1 else {
      throw refused(event, "must have one key for its set, and either include or exclude members")
    }
    if changes == 1, event.members.contains(where: { $0.isSetMember && !$0.isRequired }) {
      throw refused(event, "must require the key and the members of its set")
    }
    if event.needsChange, !event.members.contains(where: { $0.role.field != nil }) {
      throw refused(event, "requires a change, but has no member that makes one")
    }
  }

  private func check(_ member: MemberSchema, of event: EventSchema) throws(EventLogError) {
    guard let name = member.role.field else { return }
    let day = event.members.first { $0.role == .day }
    let isOfDay = collection.isOfDay(name)
    guard let field = collection.readers(of: name, ofDay: isOfDay).first?.field else {
      throw refused(event, "changes the field \"\(name)\", which is not declared")
    }
    if isOfDay, day == nil {
      throw refused(event, "changes the field \"\(name)\" of a day, but has no day")
    }
    if !isOfDay, day?.isRequired == true {
      throw refused(event, "is about a day, but changes the field \"\(name)\" of the entity")
    }
    switch (member.role, field.mechanism) {
    case (.write, .register), (.set, .counter), (.advance, .counter): return
    case (.write, _): throw refused(event, "writes \"\(name)\", which is not a register")
    default: throw refused(event, "counts \"\(name)\", which is not a counter")
    }
  }

  private func checkAssigns(_ event: EventSchema) throws(EventLogError) {
    let changed = Set(event.members.compactMap(\.role.field))
    var names: Set<String> = []
    for assignment in event.assigns {
      let field = assignment.field
      guard collection.readers(of: field).allSatisfy(\.field.supersedes.isEmpty) else {
        throw refused(
          event, "assigns \"\(field)\", which has several names: older events don't say which")
      }
      guard case .register(let rule)? = collection.field(field)?.mechanism,
        rule.accepts(assignment.value), names.insert(field).inserted
      else {
        throw refused(
          event,
          "assigns \"\(field)\", but that is not a register, does not take this value,"
            + " or is assigned twice")
      }
      guard !changed.contains(field) else {
        throw refused(event, "assigns \"\(field)\", and has a member that writes it, too")
      }
      if event.writesFields, event.member(field) == nil, !collection.reservedNames.contains(field) {
        throw refused(event, "assigns \"\(field)\", and writes the fields by their names, too")
      }
    }
  }
}

extension MemberSchema {
  /// Whether the member is a set's key, or its members to add or remove.
  fileprivate var isSetMember: Bool { [.key, .include, .exclude].contains(role) }
}

extension MemberSchema.Role {
  /// The field that the member changes by itself, or `nil` if there is none.
  public var field: String? {
    switch self {
    case .write(let field), .set(let field), .advance(let field): field
    case .day, .key, .include, .exclude: nil
    }
  }
}
