package import EventLog

/// The reference's state of a history, as facts that can be compared with a snapshot's.
package struct ReferenceState {
  /// A singleton, an entity, or a day of an entity.
  package struct Place {
    package let name: String
    /// The entity, even for one of its days, or nil for a singleton.
    package let entity: EntityID?
    package var isHidden = false
    package var isContested = false
    package var fields: [(name: String, value: JSONValue, isContested: Bool)] = []

    package var day: String? { name.split(separator: "@").dropFirst().first.map(String.init) }
  }

  package struct Conflict {
    package let place: String
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
  package private(set) var places: [Place] = []
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
      var place = Place(name: name, entity: entity)
      if let entity {
        let presence = reference.presence(entity.description)
        place.isHidden = presence.isHidden
        place.isContested = !presence.candidates.isEmpty
        if place.isContested, place.day == nil { addPresence(name, presence.candidates, reference) }
      }
      for field in fields { add(field, to: &place, reference) }
      places.append(place)
    }
  }

  private mutating func addPresence(
    _ entity: String, _ candidates: [Reference.Candidate], _ reference: Reference
  ) {
    let isHidden = reference.base(of: candidates.map(\.event)).presence(entity).isHidden
    let deleted: JSONValue = "deleted"
    conflicts.append(
      Conflict(
        place: entity, field: "presence", kind: "presence", base: isHidden ? deleted : .none,
        shown: nil, candidates: candidates))
  }

  private mutating func add(_ field: String, to place: inout Place, _ reference: Reference) {
    let name = ReferenceValue.fromPlain(field)
    for found in reference.fields(place.name, field) {
      place.fields.append((name, found.value, found.isContested))
      guard found.isContested, includesDeleted || !place.isHidden else { continue }
      let base = reference.base(of: found.candidates.map(\.event)).fields(place.name, field)
      conflicts.append(
        Conflict(
          place: place.name, field: name, kind: "values", base: base.first?.value,
          shown: found.shown?.id, candidates: found.candidates))
    }
  }

  /// The facts of the state, sorted, one per line, like `Snapshot.report`.
  package var report: [String] {
    var lines: [String] = []
    for place in places {
      if let entity = place.entity {
        lines.append(
          place.day == nil
            ? Report.entity(
              entity.description, isDeleted: place.isHidden, isContested: place.isContested)
            : Report.day(place.name))
      }
      for field in place.fields {
        lines.append(
          Report.field(place.name, field.name, field.value, isContested: field.isContested))
      }
    }
    lines += conflicts.map { conflict in
      Report.conflict(
        conflict.place, conflict.field, conflict.kind, base: conflict.base, shown: conflict.shown,
        conflict.candidates.map { ($0.event.id, $0.event.at, $0.value) })
    }
    return lines.sorted()
  }
}
