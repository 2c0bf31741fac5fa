package import EventLog

/// How one fact of a state is said in a line, so that two states can be compared line by line.
package enum Report {
  package static func entity(_ id: String, isDeleted: Bool, isContested: Bool) -> String {
    "\(id)\(isDeleted ? " is deleted" : " is there")\(isContested ? ", contested" : "")"
  }

  package static func day(_ place: String) -> String { "\(place) is there" }

  package static func field(
    _ place: String, _ name: String, _ value: JSONValue, isContested: Bool
  ) -> String {
    "\(place) \(ReferenceValue.plain(name)) = \(ReferenceValue.plain(value.text))"
      + (isContested ? ", contested" : "")
  }

  package static func conflict(
    _ entity: String, _ field: String, _ kind: String, base: JSONValue?, shown: EventID?,
    _ candidates: [(id: EventID, at: Timestamp, value: JSONValue)]
  ) -> String {
    let all = candidates.map { "\($0.id) at \($0.at): \($0.value.text)" }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return ReferenceValue.plain(
      "conflict \(entity)#\(field) (\(kind)), base \(base?.text ?? "absent"),"
        + " shown \(shown?.description ?? "none"): \(all.joined(separator: "; "))")
  }
}

extension Snapshot {
  /// The state, one fact a line, sorted; hidden entities included.
  package var report: [String] {
    var lines: [String] = []
    for collection in catalog.collections {
      if collection.isSingleton {
        lines += Self.lines(collection.kind, singleton(collection.kind))
        continue
      }
      for entity in entities(collection.kind, includingDeleted: true) {
        let id = entity.id.description
        lines.append(
          Report.entity(
            id, isDeleted: entity.isDeleted, isContested: entity.isPresenceContested))
        lines += Self.lines(id, entity.fields)
        for day in entity.days {
          lines.append(Report.day("\(id)@\(day.day)"))
          lines += Self.lines("\(id)@\(day.day)", day.fields)
        }
      }
    }
    return (lines + conflicts.map(Self.line)).sorted()
  }

  private static func lines(_ place: String, _ fields: [ProjectedField]) -> [String] {
    fields.map { field in
      let value: JSONValue =
        switch field.value {
        case .json(let value): value
        case .count(let count): .number(JSONNumber(count))
        case .members(let members): .array(members.map { .string($0) })
        }
      return Report.field(place, field.name, value, isContested: field.isContested)
    }
  }

  private static func line(_ conflict: Conflict) -> String {
    Report.conflict(
      conflict.entity, conflict.field, conflict.kind.rawValue, base: conflict.base,
      shown: conflict.shown, conflict.candidates.map { ($0.event, $0.at, $0.value) })
  }
}
