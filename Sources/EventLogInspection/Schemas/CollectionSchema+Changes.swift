public import EventLog

extension CollectionSchema {
  /// Returns the changes since a released version that make the two versions misread each other.
  ///
  /// ```swift
  /// let released = try CollectionSchema.collections(parsing: Data(contentsOf: url))
  /// #expect(Plant.schema.collection.changes(since: released[0]) == [])
  /// ```
  ///
  /// - Parameter released: The declaration of the same kind in an earlier version of the app.
  /// - Returns: The changes, in the order of the released declaration.
  public func changes(since released: CollectionSchema) -> [SchemaChange] {
    if !kind.hasBytes(of: released.kind) {
      return [
        SchemaChange(
          kind: .kind, subject: kind, change: "It is compared with another kind: \(released.kind).",
          effect: "Neither version shows what the other one writes.",
          advice: "Compare declarations of the same kind.")
      ]
    }
    if isSingleton != released.isSingleton {
      let form = isSingleton ? "a singleton" : "a collection of records"
      return [
        SchemaChange(
          kind: .kind, subject: kind, change: "It became \(form).",
          effect: "Neither version shows what the other one writes.",
          advice: "Declare a new kind, and keep this one.")
      ]
    }
    var changes: [SchemaChange] = []
    for (fields, isOfDay) in [(released.fields, false), (released.dayFields, true)] {
      for old in fields { changes += self.changes(of: old, ofDay: isOfDay) }
    }
    if released.takesFurtherFields, !takesFurtherFields {
      changes.append(
        SchemaChange(
          kind: .removedField, subject: kind, change: "It takes no further fields.",
          effect: "This version doesn't show undeclared fields that an older one writes.",
          advice: "Declare these fields."))
    }
    return changes + newFields(since: released) + eventChanges(since: released)
  }

  /// Returns the changes since the released version of collections, including removed kinds.
  ///
  /// - Parameters:
  ///   - collections: The declarations.
  ///   - released: Those of an earlier version of the app.
  public static func changes(
    from released: [CollectionSchema], to collections: [CollectionSchema]
  ) -> [SchemaChange] {
    released.flatMap { old in
      guard let new = collections.first(where: { $0.kind == old.kind }) else {
        return [
          SchemaChange(
            kind: .kind, subject: old.kind, change: "The kind is gone.",
            effect: "This version keeps and syncs its records, but doesn't show them.",
            advice: "Keep the declaration, or never use the kind again.")
        ]
      }
      return new.changes(since: old)
    }
  }

  // MARK: - Fields

  func changes(of old: FieldSchema, ofDay isOfDay: Bool) -> [SchemaChange] {
    let subject = "\(kind).\(old.name)"
    let earlier = old.supersedes.flatMap { changes(of: $0, ofDay: isOfDay) }
    guard let new = field(old.name, ofDay: isOfDay) else {
      if !readers(of: old.name, ofDay: isOfDay).isEmpty { return earlier }
      if field(old.name, ofDay: !isOfDay) != nil {
        return [
          SchemaChange(
            kind: .meaning, subject: subject,
            change: isOfDay ? "It is no longer a field of days." : "It became a field of days.",
            effect: "Neither version shows what the other one writes.", advice: Self.newField)
        ]
      }
      if !isOfDay, takesFurther(old) { return [] }
      return [
        SchemaChange(
          kind: .removedField, subject: subject, change: "The field is gone.",
          effect: "This version keeps and syncs what was written to it, but doesn't show it.",
          advice: "Never use the name again.")
      ]
    }
    switch (old.mechanism, new.mechanism) {
    case (.register(let oldRule), .register(let newRule)):
      return earlier
        + ruleChanges(subject, oldRule, newRule, "neither shows nor edits values")
        + caseChanges(subject, old, new, "neither shows nor edits them")
        + dateChanges(subject, old, new)
    case (.members, .members):
      return ruleChanges(subject, old.memberRule, new.memberRule, "keeps, but doesn't show members")
        + caseChanges(subject, old, new, "keeps them, but doesn't show them")
    case (.counter, .counter): return []
    default:
      return [
        SchemaChange(
          kind: .meaning, subject: subject,
          change: "\(old.mechanism.name) became \(new.mechanism.name).",
          effect: "Neither version shows what the other one writes.", advice: Self.newField)
      ]
    }
  }

  /// The changes of an earlier name, which must have a reader with the same conversion.
  private func changes(of old: SupersededField, ofDay isOfDay: Bool) -> [SchemaChange] {
    let readers = readers(of: old.name, ofDay: isOfDay)
    if readers.isEmpty {
      return [
        SchemaChange(
          kind: .removedField, subject: "\(kind).\(old.name)", change: "The earlier name is gone.",
          effect: "This version keeps and syncs what was written to it, but doesn't show it.",
          advice: "Keep it among the earlier names.")
      ]
    }
    let isKept = readers.contains { reader in
      reader.field.supersedes.contains {
        $0.name.hasBytes(of: old.name) && $0.conversion == old.conversion
      }
    }
    if isKept { return [] }
    return [
      SchemaChange(
        kind: .meaning, subject: "\(kind).\(old.name)", change: "Its conversion has changed.",
        effect: "The versions show different values.", advice: "Keep the conversion.")
    ]
  }

  private static let newField = "Keep the field, and declare a new one."

  /// Whether events can write a field with the same meaning although it isn't declared.
  private func takesFurther(_ field: FieldSchema) -> Bool {
    guard takesFurtherFields, !field.isDated else { return false }
    return field.mechanism.isRegister || field.mechanism == .members && isSingleton
  }

  /// The changes of fields that released versions could write without a declaration.
  private func newFields(since released: CollectionSchema) -> [SchemaChange] {
    guard released.takesFurtherFields else { return [] }
    return fields.filter { released.field($0.name) == nil }.compactMap { new in
      let subject = "\(kind).\(new.name)"
      if !released.takesFurther(new) {
        return SchemaChange(
          kind: .meaning, subject: subject,
          change: "A further field became \(new.isDated ? "dated" : new.mechanism.name).",
          effect: "Neither version shows what the other one writes.", advice: "Use another name.")
      }
      guard case .register(let rule) = new.mechanism, rule != .any else { return nil }
      return SchemaChange(
        kind: .narrowed, subject: subject, change: "A further field became \(rule.spelling).",
        effect: "This version neither shows nor edits other values that were written to it.",
        advice: "Use another name, unless no version has written other values.")
    }
  }

  private func ruleChanges(
    _ subject: String, _ old: ValueRule, _ new: ValueRule, _ effect: String
  ) -> [SchemaChange] {
    if old == new { return [] }
    let (isLooser, isNarrower) = (new.includes(old), old.includes(new))
    var effects: [String] = []
    if !isNarrower {
      effects.append("The released version \(effect) that only \(new.spelling) allows.")
    }
    if !isLooser {
      effects.append("This version \(effect) that only \(old.spelling) allows.")
    }
    return [
      SchemaChange(
        kind: isLooser ? .loosened : isNarrower ? .narrowed : .rule, subject: subject,
        change: "\(old.spelling) became \(new.spelling).",
        effect: effects.joined(separator: " "), advice: Self.newField)
    ]
  }

  private func caseChanges(
    _ subject: String, _ old: FieldSchema, _ new: FieldSchema, _ effect: String
  ) -> [SchemaChange] {
    let added = new.cases.filter { !old.cases.contains($0) }
    let removed = old.cases.filter { !new.cases.contains($0) }
    if old.cases.isEmpty, !new.cases.isEmpty {
      return [
        SchemaChange(
          kind: .narrowed, subject: subject,
          change: "Any text became \(added.joined(separator: ", ")).",
          effect: "Other texts were allowed: this version \(effect).", advice: Self.newField)
      ]
    }
    var changes: [SchemaChange] = []
    if !new.cases.isEmpty, !removed.isEmpty {
      changes.append(
        SchemaChange(
          kind: .narrowed, subject: subject,
          change: "Cases are gone: \(removed.joined(separator: ", ")).",
          effect: "This version \(effect).", advice: "Keep the cases, and don't offer them."))
    }
    if !added.isEmpty {
      changes.append(
        SchemaChange(
          kind: .loosened, subject: subject,
          change: "Cases are new: \(added.joined(separator: ", ")).",
          effect: "The released version \(effect).",
          advice: "Write them only once most people have a version that knows them."))
    }
    return changes
  }

  private func dateChanges(
    _ subject: String, _ old: FieldSchema, _ new: FieldSchema
  ) -> [SchemaChange] {
    if old.isDated == new.isDated { return [] }
    return [
      SchemaChange(
        kind: .meaning, subject: subject,
        change: new.isDated ? "It became dated." : "It is no longer dated.",
        effect: "The versions show different values for earlier days.", advice: Self.newField)
    ]
  }
}

extension FieldSchema.Mechanism {
  fileprivate var name: String {
    switch self {
    case .register: "a register"
    case .counter: "a counter"
    case .members: "a set"
    }
  }
}

extension ValueRule {
  /// Whether every value of another rule also follows this one.
  fileprivate func includes(_ other: ValueRule) -> Bool {
    switch (self, other) {
    case (.any, _), (.number, .quantity), (.number, .amount), (.number, .integer),
      (.quantity, .amount), (.text, .date), (.text, .schedule), (.text, .time), (.text, .entity):
      true
    case (.quantity, .integer(let bounds)): bounds.lowerBound >= 0
    case (.amount, .integer(let bounds)):
      bounds.lowerBound >= 0 && bounds.upperBound <= 1_000_000_000
    case (.integer(let bounds), .integer(let others)):
      bounds.lowerBound <= others.lowerBound && others.upperBound <= bounds.upperBound
    case (.list(let rule), .list(let other)): rule.includes(other)
    default: self == other
    }
  }
}
