package import EventLog

extension Snapshot {
  /// The facts of the state, sorted, one per line, including hidden entities.
  package var report: [String] {
    var lines: [String] = []
    for collection in catalog.collections {
      if collection.isSingleton {
        lines += Self.lines(collection.kind, singleton(collection.kind))
        lines += entries(collection.kind, singleton(collection.kind), collection)
        continue
      }
      for entity in entities(collection.kind, includingDeleted: true) {
        let id = entity.id.description
        lines.append(
          Report.entity(
            id, isDeleted: entity.isDeleted, isContested: entity.isPresenceContested))
        lines += Self.lines(id, entity.fields) + entries(id, entity.fields, collection)
        for day in entity.days {
          lines.append(Report.day("\(id)@\(day.day)"))
          lines += Self.lines("\(id)@\(day.day)", day.fields)
        }
      }
    }
    return (lines + conflicts.map(Self.line)).sorted()
  }

  private static func lines(_ row: String, _ fields: [ProjectedField]) -> [String] {
    fields.map { field in
      let value: JSONValue =
        switch field.value {
        case .json(let value): value
        case .count(let count): count.map { .number($0) } ?? .null
        case .members(let members): .array(members.map { .string($0) })
        }
      return Report.field(
        row, field.name, value, isContested: field.isContested, isUnreadable: field.isUnreadable)
    }
  }

  private func entries(
    _ row: String, _ fields: [ProjectedField], _ collection: CollectionSchema
  ) -> [String] {
    fields.filter { collection.field($0.name)?.isDated ?? false }.flatMap { field in
      timeline(of: field.name, in: row).steps.map {
        Report.entry(row, field.name, from: $0.from?.description ?? "", $0.value)
      }
    }
  }

  private static func line(_ conflict: Conflict) -> String {
    Report.conflict(
      conflict.entity, conflict.field, conflict.kind.rawValue, base: conflict.base,
      shown: conflict.shown, conflict.candidates.map { ($0.event, $0.at, $0.value) })
  }
}
