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
    return changes + eventChanges(since: released)
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

  private func changes(of old: FieldSchema, ofDay isOfDay: Bool) -> [SchemaChange] {
    let subject = "\(kind).\(old.name)"
    guard let new = field(old.name, ofDay: isOfDay) else {
      if field(old.name, ofDay: !isOfDay) != nil {
        return [
          SchemaChange(
            kind: .meaning, subject: subject,
            change: isOfDay ? "It is no longer a field of days." : "It became a field of days.",
            effect: "Neither version shows what the other one writes.", advice: Self.newField)
        ]
      }
      if !isOfDay, takesFurtherFields { return [] }
      return [
        SchemaChange(
          kind: .removedField, subject: subject, change: "The field is gone.",
          effect: "This version keeps and syncs what was written to it, but doesn't show it.",
          advice: "Never use the name again.")
      ]
    }
    guard case .register(let oldRule) = old.mechanism, case .register(let newRule) = new.mechanism
    else {
      if old.mechanism == new.mechanism { return [] }
      return [
        SchemaChange(
          kind: .meaning, subject: subject,
          change: "\(old.mechanism.name) became \(new.mechanism.name).",
          effect: "Neither version shows what the other one writes.", advice: Self.newField)
      ]
    }
    return ruleChanges(subject, oldRule, newRule) + detailChanges(subject, old, new)
  }

  private static let newField = "Keep the field, and declare a new one."

  private func ruleChanges(
    _ subject: String, _ old: ValueRule, _ new: ValueRule
  ) -> [SchemaChange] {
    if old == new { return [] }
    let (isLooser, isNarrower) = (new.includes(old), old.includes(new))
    var effects: [String] = []
    if !isNarrower {
      effects.append(
        "The released version neither shows nor edits values that only \(new.spelling) allows.")
    }
    if !isLooser {
      effects.append(
        "This version neither shows nor edits values that only \(old.spelling) allows.")
    }
    return [
      SchemaChange(
        kind: isLooser ? .loosened : isNarrower ? .narrowed : .rule, subject: subject,
        change: "\(old.spelling) became \(new.spelling).",
        effect: effects.joined(separator: " "), advice: Self.newField)
    ]
  }

  private func detailChanges(
    _ subject: String, _ old: FieldSchema, _ new: FieldSchema
  ) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    let removed = old.cases.filter { !new.cases.contains($0) }
    if !new.cases.isEmpty, !removed.isEmpty {
      changes.append(
        SchemaChange(
          kind: .narrowed, subject: subject,
          change: "The cases \(removed.joined(separator: ", ")) are gone.",
          effect: "This version neither shows nor edits them.",
          advice: "Keep the cases, and don't offer them."))
    }
    if old.isDated != new.isDated {
      changes.append(
        SchemaChange(
          kind: .meaning, subject: subject,
          change: new.isDated ? "It became dated." : "It is no longer dated.",
          effect: "The versions show different values for earlier days.", advice: Self.newField))
    }
    return changes
  }

  // MARK: - Event types

  private func eventChanges(since released: CollectionSchema) -> [SchemaChange] {
    let (old, new) = (released.events, events)
    let removed = old.filter { event in !new.contains { $0.type == event.type } }
    let changes = removed.map { event in
      SchemaChange(
        kind: .eventType, subject: event.type, change: "The event type is gone.",
        effect: "This version keeps and syncs its events, but doesn't apply them.",
        advice: "Keep the type; the app need not write it.")
    }
    // A field with another meaning is a change of its own.
    let known = Set(
      released.fields.map(\.name).filter { field($0) != nil }
        + released.dayFields.map(\.name).filter { field($0, ofDay: true) != nil })
    return changes
      + new.compactMap { event in
        if old.contains(where: { $0.type == event.type }) { return nil }
        let written = fieldsWritten(by: event).filter(known.contains)
        if written.isEmpty, event.lifecycle == .none { return nil }
        let effect =
          written.isEmpty
          ? "its events" : "what its events write to \(written.joined(separator: ", "))"
        return SchemaChange(
          kind: .eventType, subject: event.type, change: "The event type is new.",
          effect: "Older versions keep and sync \(effect), but don't apply it.",
          advice: "Write these fields with a type that older versions know.")
      }
  }

  private func fieldsWritten(by event: EventSchema) -> [String] {
    var names = event.members.compactMap { member -> String? in
      switch member.role {
      case .write(let field), .set(let field), .advance(let field): field
      case .day, .key, .include, .exclude: nil
      }
    }
    if event.members.contains(where: { $0.role == .key }) {
      names += (fields + dayFields).filter { $0.mechanism == .members }.map(\.name)
    }
    if event.writesFields {
      names += fields.filter(\.mechanism.isRegister).map(\.name)
    }
    return names + event.assigns.map(\.field)
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
