package import EventLog

extension ActionGenerator {
  /// Returns an event that may be refused, because its entity hasn't begun or is deleted.
  package mutating func draft() -> EventDraft {
    let collection = collections.randomElement(using: &random)!
    var schema = collection.events.randomElement(using: &random)!
    // Deleted entities accept no events, and existing ones can't begin: choose these rarely.
    if schema.lifecycle == .deletes || schema.lifecycle == .begins, !chance(4) {
      let others = collection.events.filter { $0.lifecycle == .none }
      schema = others.randomElement(using: &random) ?? schema
    }
    let key = Self.keys.randomElement(using: &random)!
    let entity = collection.isSingleton ? nil : EntityID(kind: collection.kind, key: key)
    // Other events of a new entity would be refused. Rarely, another device begins it again.
    if let entity, !begun.contains(entity) || chance(15),
      let begins = collection.events.first(where: { $0.lifecycle == .begins })
    {
      begun.insert(entity)
      schema = begins
    }
    return EventDraft(type: schema.type, entity: entity, data: data(schema, collection))
  }

  mutating func data(
    _ schema: EventSchema, _ collection: CollectionSchema
  ) -> JSONObject {
    let day = schema.members.first { $0.role == .day }
    let isOfDay = day.map { $0.isRequired || chance(2) } ?? false
    var members: [JSONObject.Member] = []
    if isOfDay, let day { members.append(.init(name: day.name, value: values.date())) }
    let others = schema.members.filter { member in
      member.role != .day && (day == nil || isAbout(member, ofDay: isOfDay, collection))
    }
    // Choose at least one optional member: an event without any changes nothing.
    let chosen = others.filter { !$0.isRequired }.randomElement(using: &random)
    for member in others where member.isRequired || member.name == chosen?.name || chance(3) {
      members.append(
        .init(name: member.name, value: value(of: member, ofDay: isOfDay, collection)))
    }
    if schema.writesFields { members += registers(besides: members, collection) }
    if collection.takesFrom(schema), collection.writesDatedField(schema, JSONObject(members)),
      chance(2)
    {
      members.append(.init(name: CollectionSchema.fromMember, value: values.date()))
    }
    return JSONObject(members)
  }

  /// Whether a member writes to the day if the event has one, or else to the entity.
  private func isAbout(
    _ member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> Bool {
    switch member.role {
    case .write(let field), .set(let field), .advance(let field):
      collection.field(field, ofDay: isOfDay) != nil
    case .day, .key, .include, .exclude: true
    }
  }

  private mutating func registers(
    besides members: [JSONObject.Member], _ collection: CollectionSchema
  ) -> [JSONObject.Member] {
    var names = collection.fields.filter(\.mechanism.isRegister).map(\.name)
    if collection.takesFurtherFields { names += ["further1", "further2"] }
    names.removeAll { name in members.contains { $0.name == name } }
    return names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map {
      .init(name: $0, value: value(ofRegister: $0, collection))
    }
  }

  private mutating func value(
    of member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> JSONValue {
    switch member.role {
    case .day: return values.date()
    case .set: return chance(8) ? .null : values.amount(0...18)
    case .advance: return values.amount(-4...10)
    case .key:
      // Otherwise, a key that no register has: one that is both depends on the whole journal.
      let declared = (isOfDay ? collection.dayFields : collection.fields)
        .filter { $0.mechanism == .members }.map(\.name)
      return .string(declared.randomElement(using: &random) ?? "set")
    case .include, .exclude:
      return .array(["x", "y"].filter { _ in chance(2) }.map { .string($0) })
    case .write(let field): return value(ofRegister: field, collection)
    }
  }

  private mutating func value(
    ofRegister field: String, _ collection: CollectionSchema
  ) -> JSONValue {
    if chance(12) { return .null }
    let declared = collection.field(field) ?? collection.field(field, ofDay: true)
    guard case .register(let rule)? = declared?.mechanism else { return values.any() }
    return values.value(rule)
  }
}
