extension SchemaCatalog {
  /// The events that make the changes.
  ///
  /// Each step chooses the type that makes the most of the remaining changes. For derived types,
  /// the number of events is minimal. Values are checked by an append, not here.
  ///
  /// - Parameters:
  ///   - kind: The kind of the collection.
  ///   - entity: The entity, or nil for a singleton.
  ///   - day: The day whose fields change, or nil for fields of the entity.
  ///   - from: The day from which dated fields apply, or nil to state none.
  ///   - lifecycle: Whether one of the events creates, deletes or restores the entity.
  /// - Throws: `invalidEvent` if the collection or a field isn't declared, or if no type can make
  ///   one of the changes.
  package func events(
    for changes: [FieldChange], kind: String, entity: EntityID? = nil, day: Day? = nil,
    from: Day? = nil, lifecycle: EventSchema.Lifecycle = .none
  ) throws(EventLogError) -> [EventDraft] {
    guard let collection = collection(kind: kind) else {
      throw EventLogError(
        .invalidEvent, "Unknown collection \"\(kind)\". Nothing was written.",
        hint: Suggestion.nearest(to: kind, among: collections.map(\.kind))
          .map { "Did you mean \"\($0)\"?" })
    }
    let plan = EventPlan(collection: collection, entity: entity, day: day, from: from)
    try plan.check(changes)
    return try plan.events(for: changes, lifecycle: lifecycle)
  }
}

/// Chooses the events that make changes to one entity, one day of it, or a singleton.
private struct EventPlan {
  let collection: CollectionSchema
  let entity: EntityID?
  let day: Day?
  let from: Day?

  private func refused(_ reason: String, hint: String? = nil) -> EventLogError {
    EventLogError(
      .invalidEvent, "\(collection.kind) refuses the change: \(reason). Nothing was written.",
      hint: hint)
  }

  // MARK: - Checking

  /// Checks that every field is declared for the entity or day, and that only sets change twice.
  func check(_ changes: [FieldChange]) throws(EventLogError) {
    var names: Set<[UInt8]> = []
    for change in changes {
      let name = change.field
      if !names.insert(Array(name.utf8)).inserted, !change.isOfMembers {
        throw refused(
          "\"\(name)\" is changed twice", hint: "Make one change of the two.")
      }
      if let field = collection.field(name, ofDay: day != nil) {
        try check(change, fits: field.mechanism)
        continue
      }
      if collection.field(name, ofDay: day == nil) != nil {
        throw refused(
          day == nil ? "\"\(name)\" is a field of a day" : "\"\(name)\" is not a field of a day",
          hint: day == nil ? "Change it for a day: on: day." : "Change it without a day.")
      }
      if day == nil, collection.takesFurtherFields, collection.readers(of: name).isEmpty {
        continue
      }
      let names = (day == nil ? collection.fields : collection.dayFields).map(\.name)
      throw refused(
        "it has no field \"\(name)\"",
        hint: Suggestion.nearest(to: name, among: names).map { "Did you mean \"\($0)\"?" }
          ?? (names.isEmpty ? "Declare it first." : "It has \(names.joined(separator: ", "))."))
    }
  }

  /// Checks that the field's mechanism allows the change.
  private func check(
    _ change: FieldChange, fits mechanism: FieldSchema.Mechanism
  ) throws(EventLogError) {
    let wanted: String
    switch (change, mechanism) {
    case (.write, .register), (.set, .counter), (.advance, .counter), (.include, .members),
      (.exclude, .members):
      return
    case (.write, _): wanted = "a register"
    case (.set, _), (.advance, _): wanted = "a counter"
    case (.include, _), (.exclude, _): wanted = "a set"
    }
    let (sort, advice) =
      switch mechanism {
      case .register: ("a register", "Change its property in an edit.")
      case .counter: ("a counter", "Change its property in an edit, or use add or set.")
      case .members: ("a set", "Change its property in an edit, or use include or exclude.")
      }
    throw refused("\"\(change.field)\" is \(sort), not \(wanted)", hint: advice)
  }

  // MARK: - Choosing types

  func events(
    for changes: [FieldChange], lifecycle: EventSchema.Lifecycle
  ) throws(EventLogError) -> [EventDraft] {
    var rest = Array(changes.indices)
    var drafts: [EventDraft] = []
    func take(_ lifecycle: EventSchema.Lifecycle) -> Bool {
      // By their indexes: a copy of a declaration would retain each of its parts.
      var best: (type: String, data: JSONObject, made: [Int])?
      for index in collection.events.indices where collection.events[index].lifecycle == lifecycle {
        guard let (data, made) = filled(collection.events[index], changes, rest),
          lifecycle != .none || !made.isEmpty, made.count > best?.made.count ?? -1
        else { continue }
        best = (collection.events[index].type, data, made)
      }
      guard let best else { return false }
      rest.removeAll(where: best.made.contains)
      drafts.append(EventDraft(type: best.type, entity: entity, data: best.data))
      return true
    }
    let isLast = lifecycle == .deletes
    if lifecycle != .none, !isLast, !take(lifecycle) { throw noType(lifecycle) }
    while !rest.isEmpty {
      if !take(.none) {
        throw refused(
          "none of its types changes \"\(changes[rest[0]].field)\" in this way",
          hint: "Declare an event type that does, or none at all: then they are derived.")
      }
    }
    if isLast, !take(lifecycle) { throw noType(lifecycle) }
    return drafts
  }

  private func noType(_ lifecycle: EventSchema.Lifecycle) -> EventLogError {
    let verb =
      switch lifecycle {
      case .begins: "creates"
      case .deletes: "deletes"
      case .restores: "restores"
      case .none: "changes"
      }
    return refused(
      "none of its types \(verb) one",
      hint: "Declare an event type that does, or none at all: then they are derived.")
  }

  /// The data of an event that makes as many of the changes as it can, and their indexes.
  ///
  /// Nil if such an event would also make another change, or lacks a required member.
  private func filled(
    _ event: EventSchema, _ changes: [FieldChange], _ rest: [Int]
  ) -> (data: JSONObject, made: [Int])? {
    var data = JSONObject()
    var made: [Int] = []
    let dayMember = event.members.first { $0.role == .day }
    if let day {
      guard let dayMember else { return nil }
      data[dayMember.name] = .string(day.description)
    }
    for assignment in event.assigns {
      let wanted = FieldChange.write(field: assignment.field, assignment.value)
      guard let index = rest.first(where: { changes[$0] == wanted }) else { return nil }
      made.append(index)
    }
    for index in rest where !made.contains(index) {
      if add(changes[index], to: &data, of: event) { made.append(index) }
    }
    guard event.members.allSatisfy({ !$0.isRequired || data[$0.name] != nil }),
      !event.needsChange || !made.isEmpty
    else { return nil }
    if let from, collection.takesFrom(event), collection.writesDatedField(event, data) {
      data[CollectionSchema.fromMember] = .string(from.description)
    }
    return (data, made)
  }

  /// Adds the change to the data, if the event type has an unused member for it.
  private func add(
    _ change: FieldChange, to data: inout JSONObject, of event: EventSchema
  ) -> Bool {
    func put(_ role: MemberSchema.Role, _ value: JSONValue) -> Bool {
      guard let member = event.members.first(where: { $0.role == role && data[$0.name] == nil })
      else { return false }
      data[member.name] = value
      return true
    }
    func putMembers(_ role: MemberSchema.Role, _ key: String, _ members: [String]) -> Bool {
      guard event.members.contains(where: { $0.role == role && data[$0.name] == nil }),
        put(.key, .string(key))
      else { return false }
      return put(role, .array(members.map { .string($0) }))
    }
    switch change {
    case .write(let field, let value):
      if !put(.write(field: field), value) {
        guard writesByName(field, event) else { return false }
        data[field] = value
      }
      let isByName = event.writesFields || event.member(field)?.role == .write(field: field)
      for earlier in collection.field(field, ofDay: day != nil)?.writesBeside(value) ?? []
      where !put(.write(field: earlier.name), earlier.value) {
        if isByName, event.member(earlier.name) == nil { data[earlier.name] = earlier.value }
      }
      return true
    case .set(let field, let amount):
      return put(.set(field: field), amount.map { .number($0.number) } ?? .null)
    case .advance(let field, let amount):
      return put(.advance(field: field), .number(amount.number))
    case .include(let field, let members): return putMembers(.include, field, members)
    case .exclude(let field, let members): return putMembers(.exclude, field, members)
    }
  }

  /// Whether events of the type write the field as a register by a member of the same name.
  private func writesByName(_ field: String, _ event: EventSchema) -> Bool {
    guard event.writesFields, day == nil, event.member(field) == nil,
      !collection.reservedNames.contains(field)
    else { return false }
    return collection.field(field)?.mechanism.isRegister ?? collection.takesFurtherFields
  }
}
