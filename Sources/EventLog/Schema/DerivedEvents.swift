/// The event types that follow from a collection's kind and fields.
struct DerivedEvents {
  let kind: String
  let isSingleton: Bool
  let fields: [FieldSchema]
  let takesFurtherFields: Bool
  let dayFields: [FieldSchema]

  var all: [EventSchema] {
    let changes = [recorded, advanced, included, excluded].compactMap { $0 }
    if isSingleton { return [changed].compactMap { $0 } + changes }
    return [created] + [edited].compactMap { $0 }
      + [
        EventSchema("\(kind).deleted", lifecycle: .deletes, summary: "Deletes one."),
        EventSchema(
          "\(kind).restored", lifecycle: .restores, summary: "Restores a deleted one."),
      ] + changes
  }

  // MARK: - Fields by name

  private var created: EventSchema {
    EventSchema(
      "\(kind).created", Self.writes(counters), writesFields: writesRegisters, lifecycle: .begins,
      summary: "Creates one.")
  }

  private var edited: EventSchema? {
    guard writesRegisters || !counters.isEmpty else { return nil }
    return EventSchema(
      "\(kind).edited", Self.writes(counters), writesFields: writesRegisters,
      summary: "Writes the given fields.")
  }

  private var changed: EventSchema? {
    guard writesRegisters || !counters.isEmpty else { return nil }
    return EventSchema(
      "\(kind).changed", Self.writes(counters), writesFields: writesRegisters,
      summary: "Writes the given fields.")
  }

  private var recorded: EventSchema? {
    let written = Self.writes(dayFields)
    guard !written.isEmpty else { return nil }
    return EventSchema(
      "\(kind).recorded", [MemberSchema("date", .day)] + written,
      summary: "Writes the given fields of a day.")
  }

  private var counters: [FieldSchema] { fields.filter { $0.mechanism == .counter } }

  private var writesRegisters: Bool {
    takesFurtherFields || fields.contains { $0.mechanism.isRegister }
  }

  /// A member for each field, with its name, that writes it as a whole; a set has none.
  private static func writes(_ fields: [FieldSchema]) -> [MemberSchema] {
    fields.compactMap { field in
      switch field.mechanism {
      case .register: MemberSchema(field.name, .write(field: field.name), isRequired: false)
      case .counter: MemberSchema(field.name, .set(field: field.name), isRequired: false)
      case .members: nil
      }
    }
  }

  // MARK: - Increments and members

  private var advanced: EventSchema? {
    let names = (counters + dayFields.filter { $0.mechanism == .counter }).map(\.name)
    guard !names.isEmpty else { return nil }
    return EventSchema(
      "\(kind).advanced",
      date(.counter) + names.map { MemberSchema($0, .advance(field: $0), isRequired: false) },
      needsChange: true, summary: "Adds to the given counters.")
  }

  private var included: EventSchema? {
    changesMembers("included", .include, "Adds texts to the given set.")
  }

  private var excluded: EventSchema? {
    changesMembers("excluded", .exclude, "Removes texts from the given set.")
  }

  private func changesMembers(
    _ verb: String, _ role: MemberSchema.Role, _ summary: String
  ) -> EventSchema? {
    guard (fields + dayFields).contains(where: { $0.mechanism == .members }) else { return nil }
    return EventSchema(
      "\(kind).\(verb)",
      date(.members) + [MemberSchema("key", .key), MemberSchema("members", role)],
      summary: summary)
  }

  /// The day, if days have a field of the mechanism; required if the entity has none.
  private func date(_ mechanism: FieldSchema.Mechanism) -> [MemberSchema] {
    guard dayFields.contains(where: { $0.mechanism == mechanism }) else { return [] }
    let isNeeded = !fields.contains { $0.mechanism == mechanism }
    return [MemberSchema("date", .day, isRequired: isNeeded)]
  }
}
