package import EventLog

/// The reference's state of a history, as facts that can be compared with a snapshot's.
package struct ReferenceState {
  /// A singleton, an entity, or a day of an entity.
  package struct Row {
    package let name: String
    /// The entity, even for one of its days, or nil for a singleton.
    package let entity: EntityID?
    package var isHidden = false
    package var isContested = false
    package var fields: [(name: String, value: Reference.Field)] = []
    /// The values of dated fields by their days, which are empty for the beginning.
    package var entries: [String: [(from: String, value: JSONValue)]] = [:]

    package var day: String? { name.split(separator: "@").dropFirst().first.map(String.init) }
  }

  package struct Conflict {
    package let row: String
    package let field: String
    package let kind: String
    package let base: JSONValue?
    package let shown: EventID?
    package let candidates: [Reference.Candidate]
  }

  package let eventCount: Int
  package let user: String?
  /// The tips of the projected events.
  package let frontier: [FullEventID]
  package private(set) var rows: [Row] = []
  package private(set) var conflicts: [Conflict] = []

  /// Whether conflicts in hidden entities are included.
  package let includesDeleted: Bool

  package init(_ reference: Reference, includingDeleted: Bool = false) {
    includesDeleted = includingDeleted
    user = reference.histories.users.user
    eventCount = reference.events.count
    frontier = reference.tips
    for (name, fields) in reference.names {
      let entity = EntityID(String(name.prefix { $0 != "@" }))
      var row = Row(name: name, entity: entity)
      if let entity {
        let presence = reference.presence(entity.description)
        row.isHidden = presence.isHidden
        row.isContested = !presence.candidates.isEmpty
        if row.isContested, row.day == nil { addPresence(name, presence.candidates, reference) }
      }
      for field in fields {
        add(field, to: &row, reference)
        let entries = reference.entries(name, field)
        if !entries.isEmpty { row.entries[ReferenceValue.fromPlain(field)] = entries }
      }
      // A day is listed if one of its fields has a value or a conflict.
      let isListed = row.fields.contains {
        $0.value.value != .null || $0.value.isContested || $0.value.isUnreadable
      }
      if row.day == nil || isListed { rows.append(row) }
    }
  }

  private mutating func addPresence(
    _ entity: String, _ candidates: [Reference.Candidate], _ reference: Reference
  ) {
    let isHidden = reference.base(of: candidates.map(\.event)).presence(entity).isHidden
    let deleted: JSONValue = "deleted"
    conflicts.append(
      Conflict(
        row: entity, field: "presence", kind: "presence", base: isHidden ? deleted : .none,
        shown: nil, candidates: candidates))
  }

  private mutating func add(_ field: String, to row: inout Row, _ reference: Reference) {
    let name = ReferenceValue.fromPlain(field)
    for found in reference.fields(row.name, field) {
      row.fields.append((name, found))
      guard found.isContested, includesDeleted || !row.isHidden else { continue }
      let past = reference.base(of: found.candidates.map(\.event))
      let base = past.fields(row.name, field).first?.value
      // A register can be written as `null`; a counter without a value has no base.
      let isNothing = base == .null && past.register(row.name, field) == nil
      conflicts.append(
        Conflict(
          row: row.name, field: name, kind: "values", base: isNothing ? nil : base,
          shown: found.shown?.id, candidates: found.candidates))
    }
  }

  /// The facts of the state, sorted, one per line, like `Snapshot.report`.
  package var report: [String] {
    var lines: [String] = []
    for row in rows {
      if let entity = row.entity {
        lines.append(
          row.day == nil
            ? Report.entity(
              entity.description, isDeleted: row.isHidden, isContested: row.isContested)
            : Report.day(row.name))
      }
      for field in row.fields {
        lines.append(
          Report.field(
            row.name, field.name, field.value.value, isContested: field.value.isContested,
            isUnreadable: field.value.isUnreadable))
      }
      for (name, entries) in row.entries {
        lines += entries.map { Report.entry(row.name, name, from: $0.from, $0.value) }
      }
    }
    lines += conflicts.map { conflict in
      Report.conflict(
        conflict.row, conflict.field, conflict.kind, base: conflict.base, shown: conflict.shown,
        conflict.candidates.map { ($0.event.id, $0.event.at, $0.value) })
    }
    return lines.sorted()
  }
}
