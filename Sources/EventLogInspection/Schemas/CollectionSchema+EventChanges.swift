import EventLog

extension CollectionSchema {
  /// The changes of event types that changes of fields don't already explain.
  func eventChanges(since released: CollectionSchema) -> [SchemaChange] {
    let unchanged = Set(
      released.fields.filter { isUnchanged($0, ofDay: false) }.map(\.name)
        + released.dayFields.filter { isUnchanged($0, ofDay: true) }.map(\.name))
    let old = released.events.compactMap { event -> SchemaChange? in
      guard let new = events.first(where: { $0.type.hasBytes(of: event.type) }) else {
        return released.removal(of: event, unchanged)
      }
      return change(from: event, to: new, unchanged)
    }
    let new = events.filter { event in !released.events.contains { $0.type == event.type } }
    return old + new.compactMap { addition(of: $0, unchanged) }
  }

  private func isUnchanged(_ old: FieldSchema, ofDay isOfDay: Bool) -> Bool {
    changes(of: old, ofDay: isOfDay).isEmpty && field(old.name, ofDay: isOfDay) != nil
  }

  private func removal(of event: EventSchema, _ unchanged: Set<String>) -> SchemaChange? {
    let written = fieldsWritten(by: event)
    let isExplained = event.lifecycle == .none && unchanged.isDisjoint(with: written)
    if isExplained, !written.isEmpty { return nil }
    return SchemaChange(
      kind: .eventType, subject: event.type, change: "The event type is gone.",
      effect: "This version keeps and syncs its events, but doesn't apply them.",
      advice: "Keep the type; the app need not write it.")
  }

  private func addition(of event: EventSchema, _ unchanged: Set<String>) -> SchemaChange? {
    let written = fieldsWritten(by: event).filter(unchanged.contains)
    if written.isEmpty, event.lifecycle == .none { return nil }
    if written.isEmpty {
      return SchemaChange(
        kind: .eventType, subject: event.type, change: "The event type is new.",
        effect: "Older versions keep and sync its events, but don't apply them.",
        advice: "Use a type that older versions know.")
    }
    return SchemaChange(
      kind: .eventType, subject: event.type, change: "The event type is new.",
      effect: "Older versions keep and sync what its events write to"
        + " \(written.joined(separator: ", ")), but don't show it.",
      advice: "Write these fields with a type that older versions know.")
  }

  private func change(
    from old: EventSchema, to new: EventSchema, _ unchanged: Set<String>
  ) -> SchemaChange? {
    var changes: [String] = []
    if old.lifecycle != new.lifecycle { changes.append("the lifecycle") }
    let assigned = { (event: EventSchema) in
      event.assigns.filter { unchanged.contains($0.field) }.sorted { $0.field.precedes($1.field) }
    }
    if assigned(old) != assigned(new) { changes.append("what every event assigns") }
    let hasRegisters = fields.contains { $0.mechanism.isRegister && unchanged.contains($0.name) }
    if old.writesFields != new.writesFields, hasRegisters || takesFurtherFields {
      changes.append("whether members write fields")
    }
    let names = (old.members + new.members).map(\.name)
    var seen: Set<String> = []
    for name in names where seen.insert(name).inserted {
      let (before, after) = (old.member(name), new.member(name))
      let fields = [before, after].compactMap { $0?.role.field }
      // A new or changed field has a finding of its own, or needs none.
      if before != after, fields.isEmpty || !unchanged.isDisjoint(with: fields) {
        changes.append("the member \(name)")
      }
    }
    if changes.isEmpty { return nil }
    return SchemaChange(
      kind: .eventType, subject: old.type,
      change: "The event type has changed: \(changes.joined(separator: ", ")).",
      effect: "The versions apply each other's events differently, or not at all.",
      advice: "Keep the type, and declare a new one.")
  }

  private func fieldsWritten(by event: EventSchema) -> [String] {
    var names = event.members.compactMap(\.role.field)
    if event.members.contains(where: { $0.role == .key }) {
      names += (fields + dayFields).filter { $0.mechanism == .members }.map(\.name)
    }
    if event.writesFields {
      names += fields.filter(\.mechanism.isRegister).map(\.name)
    }
    return names + event.assigns.map(\.field)
  }
}
