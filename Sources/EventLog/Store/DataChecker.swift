/// Checks the members of an event's data against the schema.
enum DataChecker {
  /// - Throws: The first rule that the data of `draft` breaks, with the name of the field.
  static func check(_ draft: EventDraft, _ rules: EventTypeRules) throws(EventLogError) {
    // Most events only write registers, and need no copy of the declarations.
    let rest = draft.data.members.filter { !rules.certainlyTakes($0) }
    if rest.isEmpty, rules.event.members.isEmpty, !rules.event.needsChange { return }
    let (event, collection) = (rules.event, rules.collection)
    for member in rest {
      if let declared = event.member(member.name) {
        try check(member, declared, in: draft, collection)
      } else if member.name == CollectionSchema.fromMember, rules.takesFrom {
        try checkFrom(member.value, draft, rules)
      } else {
        try checkField(member, draft, event, collection)
      }
    }
    // Checked last, so that a misspelled name is reported first.
    for member in event.members where member.isRequired && draft.data[member.name] == nil {
      throw .refused(
        draft, "it needs the field \"\(member.name)\"",
        hint: Self.addition(of: member, collection))
    }
    try checkLevels(draft, event, collection)
  }

  /// Checks the day from which dated fields apply, and that the event writes one of them.
  private static func checkFrom(
    _ value: JSONValue, _ draft: EventDraft, _ rules: EventTypeRules
  ) throws(EventLogError) {
    let name = CollectionSchema.fromMember
    guard value != .null, ValueRule.date.accepts(value) else {
      throw .refused(
        draft, "\"\(name)\" must be \(ValueRule.date.phrase)", hint: ValueRule.date.advice)
    }
    guard rules.writesDatedField(draft.data) else {
      let dated = rules.collection.fields.filter(\.isDated).map(\.name).joined(separator: ", ")
      throw .refused(
        draft, "\"\(name)\" is the day from which \(dated) apply, but it writes none of them",
        hint: "Leave \"\(name)\" out.")
    }
  }

  /// Checks that an event on fields of a day has a date, and one on fields of an entity has none.
  private static func checkLevels(
    _ draft: EventDraft, _ event: EventSchema, _ collection: CollectionSchema
  ) throws(EventLogError) {
    let day = event.members.first { $0.role == .day }
    let hasDay = day.map { draft.data[$0.name] != nil } ?? false
    var changesField = false
    for member in event.members {
      guard let value = draft.data[member.name] else { continue }
      var field = member.role.field
      if member.role == .key, case .string(let key) = value {
        try checkKey(key, draft, member, collection)
        field = key
      }
      guard let field else { continue }
      changesField = true
      let isOfDay = collection.isOfDay(field)
      guard let day, isOfDay != hasDay else { continue }
      throw .refused(
        draft,
        isOfDay
          ? "\"\(field)\" is a field of a day, but there is no \"\(day.name)\""
          : "\"\(field)\" is not a field of a day, but there is a \"\(day.name)\"",
        hint: isOfDay
          ? "Add \"\(day.name)\", such as 2026-01-28." : "Leave \"\(day.name)\" out.")
    }
    guard event.needsChange, !changesField else { return }
    let names = event.members.filter { $0.role.field != nil }.map(\.name)
    throw .refused(
      draft, "it needs at least one field to change: \(names.joined(separator: ", "))",
      hint: "Add one of them.")
  }

  /// Checks that a key is the name of a declared set. A singleton may also accept undeclared names.
  private static func checkKey(
    _ key: String, _ draft: EventDraft, _ member: MemberSchema, _ collection: CollectionSchema
  ) throws(EventLogError) {
    let declared = collection.field(key) ?? collection.field(key, ofDay: true)
    if declared?.mechanism == .members { return }
    let isFree = collection.takesFurtherFields && collection.readers(of: key).isEmpty
    if declared == nil, collection.isSingleton, isFree { return }
    let sets = (collection.fields + collection.dayFields).filter { $0.mechanism == .members }
      .map(\.name)
    throw .refused(
      draft, "\"\(member.name)\" must be the name of a set",
      hint: Suggestion.nearest(to: key, among: sets).map { "Did you mean \"\($0)\"?" }
        ?? "The sets of \(collection.kind) are \(sets.joined(separator: ", ")).")
  }

  /// Checks a member that the type doesn't declare, which must be the name of a field.
  private static func checkField(
    _ member: JSONObject.Member, _ draft: EventDraft, _ event: EventSchema,
    _ collection: CollectionSchema
  ) throws(EventLogError) {
    let name = member.name
    let levels = collection.hasEarlierName(name) ? [false, true] : []
    let earlier = levels.flatMap { isOfDay in
      collection.readers(of: name, ofDay: isOfDay).filter { reader in
        let own = reader.field.name
        return !reader.isNewest
          && (event.writesFields && !isOfDay || event.member(own)?.role == .write(field: own))
      }
    }
    if let field = earlier.first?.field.name {
      let isShown = { (reader: FieldReader) in
        !reader.laterNames.contains { draft.data[$0] != nil }
      }
      if earlier.allSatisfy({ !isShown($0) || $0.accepts(member.value) }) { return }
      throw .refused(
        draft, "\"\(name)\" is an earlier name of \(field), which can't show the value",
        hint: "Write \"\(field)\" instead.")
    }
    guard event.writesFields else { throw unknownField(name, draft, event, collection) }
    if collection.reservedNames.contains(name) {
      throw .refused(
        draft, "\"\(name)\" is a reserved name and cannot be a field",
        hint: "Choose another name for the field.")
    }
    let declared = collection.field(name)
    guard declared != nil || collection.takesFurtherFields else {
      throw unknownField(name, draft, event, collection)
    }
    switch declared?.mechanism {
    case .register(let rule) where !rule.accepts(member.value):
      throw .refused(draft, "\"\(name)\" must be \(rule.phrase)", hint: rule.advice)
    case .counter, .members:
      throw notWritable(name, draft, event, collection)
    case .register, nil: return
    }
  }

  /// The error for a name that the type doesn't take. It suggests a similar name or another type.
  private static func unknownField(
    _ name: String, _ draft: EventDraft, _ event: EventSchema, _ collection: CollectionSchema
  ) -> EventLogError {
    let known =
      event.members.map(\.name)
      + (event.writesFields ? collection.fields : []).filter { $0.mechanism.isRegister }
      .map(\.name)
    if (collection.field(name) ?? collection.field(name, ofDay: true)) != nil {
      return notWritable(name, draft, event, collection)
    }
    return .refused(
      draft, "it has no field \"\(name)\"",
      hint: Suggestion.nearest(to: name, among: known).map { "Did you mean \"\($0)\"?" }
        ?? (known.isEmpty ? "It takes no fields." : "It takes \(known.joined(separator: ", "))."))
  }

  /// The error for a field that the type can't write, with the types that can.
  private static func notWritable(
    _ name: String, _ draft: EventDraft, _ event: EventSchema, _ collection: CollectionSchema
  ) -> EventLogError {
    let isSet = (collection.fields + collection.dayFields)
      .contains { $0.name.hasBytes(of: name) && $0.mechanism == .members }
    let types = collection.events.filter { other in
      isSet
        ? other.members.contains { $0.role == .key }
        : other.members.contains { $0.role.field?.utf8.elementsEqual(name.utf8) ?? false }
          || other.writesFields && collection.field(name)?.mechanism.isRegister == true
    }
    .map(\.type)
    return .refused(
      draft,
      event.writesFields
        ? "\"\(name)\" cannot be written as a whole"
        : "it has no field \"\(name)\"",
      hint: types.isEmpty
        ? "Leave it out: no type can change it." : "\(types.joined(separator: ", ")) can change it."
    )
  }

  private static func check(
    _ member: JSONObject.Member, _ declared: MemberSchema, in draft: EventDraft,
    _ collection: CollectionSchema
  ) throws(EventLogError) {
    let rule: ValueRule
    switch declared.role {
    case .day: rule = .date
    case .set: rule = .amount
    case .advance:
      if case .number(let number) = member.value, let amount = Amount(number),
        Amount.increments.contains(amount)
      {
        return
      }
      throw .refused(
        draft, "\"\(member.name)\" must be \(Amount.incrementPhrase)",
        hint: ValueRule.amount.advice)
    case .key: rule = .text
    case .write(let field):
      let readers = collection.readers(of: field, ofDay: collection.isOfDay(field))
      guard let first = readers.first, case .register(let declared) = first.field.mechanism else {
        return
      }
      if !first.isNewest, readers.allSatisfy({ $0.accepts(member.value) }) { return }
      rule = declared
    case .include, .exclude:
      guard case .array(let values) = member.value,
        values.allSatisfy({ if case .string = $0 { true } else { false } })
      else {
        throw .refused(
          draft, "\"\(member.name)\" must be an array of text values",
          hint: ValueRule.list(of: .text).advice)
      }
      return
    }
    // Only registers and totals can be null.
    switch declared.role {
    case .write, .set: break
    default:
      guard member.value == .null else { break }
      throw .refused(
        draft, "\"\(member.name)\" must be \(rule.phrase), not null", hint: rule.advice)
    }
    guard rule.accepts(member.value) else {
      throw .refused(draft, "\"\(member.name)\" must be \(rule.phrase)", hint: rule.advice)
    }
  }

  /// The advice for a missing required member.
  private static func addition(
    of member: MemberSchema, _ collection: CollectionSchema
  ) -> String {
    var example = "1"
    switch member.role {
    case .day: example = ValueRule.date.example.description
    case .set, .advance: break
    case .key:
      let fields = collection.fields + collection.dayFields
      example = fields.first { $0.mechanism == .members }?.name ?? "tags"
    case .include, .exclude: example = ValueRule.list(of: .text).example.text
    case .write(let field):
      let schema = collection.field(field, ofDay: true) ?? collection.field(field)
      guard case .register(let rule)? = schema?.mechanism else { break }
      if rule == .any || rule == .text { return "Add \"\(member.name)\" with any text." }
      example = rule.example.description
    }
    return "Add \"\(member.name)\", such as \(example)."
  }
}
