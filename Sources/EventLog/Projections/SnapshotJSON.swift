/// Writes a snapshot as the JSON of `project --json`: keys sorted, one object.
struct SnapshotJSON {
  let snapshot: Snapshot

  /// The object with the given sections, and what stands in every one.
  func object(sections: Set<String>) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = [
      ("eventCount", Self.number(Int64(snapshot.eventCount))),
      ("frontier", frontier), ("contested", contested),
    ]
    if let user = snapshot.user { members.append(("user", Self.string(user))) }
    for collection in snapshot.catalog.collections {
      members += self.members(of: collection, sections: sections)
    }
    if sections.contains("conflicts") {
      members.append(("conflicts", Self.array(snapshot.conflicts.map(conflict))))
    }
    return Self.object(members)
  }

  private func members(
    of collection: CollectionSchema, sections: Set<String>
  ) -> [(name: String, value: [UInt8])] {
    let hasSection = sections.contains(collection.section)
    if collection.isSingleton {
      guard hasSection else { return [] }
      return [
        (collection.section, Self.object(shownFields(snapshot.singleton(collection.kind))))
      ]
    }
    let daySection = collection.presentation.daySection
    let hasDays = daySection.map { sections.contains($0.section) } ?? false
    guard hasSection || hasDays else { return [] }
    let entities = snapshot.entities(collection.kind)
    var members: [(name: String, value: [UInt8])] = []
    if hasSection {
      members.append((collection.section, Self.array(entities.map { entity($0, collection) })))
    }
    if let daySection, hasDays {
      members.append((daySection.section, days(of: entities, collection, daySection)))
    }
    return members
  }

  // MARK: - Parts

  private var frontier: [UInt8] {
    Self.object(
      snapshot.frontier.sorted.map { ($0.device.text, Self.number($0.sequence)) })
  }

  /// The contested fields of singletons.
  private var contested: [UInt8] {
    var members: [(name: String, value: [UInt8])] = []
    for collection in snapshot.catalog.collections where collection.isSingleton {
      let names = snapshot.singleton(collection.kind).filter(\.isContested).map(\.name)
      if !names.isEmpty { members.append((collection.section, Self.strings(names))) }
    }
    return Self.object(members)
  }

  private func shownFields(_ fields: [ProjectedField]) -> [(name: String, value: [UInt8])] {
    fields.compactMap { field in field.shown.map { (field.name, Self.json($0)) } }
  }

  private func entity(_ entity: ProjectedEntity, _ collection: CollectionSchema) -> [UInt8] {
    var fields = shownFields(entity.fields)
    for value in collection.presentation.defaults
    where !fields.contains(where: { $0.name == value.field }) {
      fields.append((value.field, Self.json(value.value)))
    }
    var members: [(name: String, value: [UInt8])] = [("id", Self.string(entity.id.key))]
    if collection.presentation.isFlat {
      members += fields
    } else {
      members.append(("fields", Self.object(fields)))
    }
    if entity.isDeleted { members.append(("deleted", Self.json(true))) }
    if !entity.contested.isEmpty { members.append(("contested", Self.strings(entity.contested))) }
    if collection.hasDays, collection.presentation.daySection == nil {
      members.append(("days", Self.array(entity.days.map(day))))
    }
    return Self.object(members)
  }

  private func day(_ day: ProjectedDay) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = [
      ("date", Self.string(day.day.description)), ("fields", Self.object(shownFields(day.fields))),
    ]
    if !day.contested.isEmpty { members.append(("contested", Self.strings(day.contested))) }
    return Self.object(members)
  }

  private func days(
    of entities: [ProjectedEntity], _ collection: CollectionSchema,
    _ section: Presentation.DaySection
  ) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "[")]
    for entity in entities {
      let goal = DayTally.goal(of: entity, section)
      let key = Self.string(entity.id.key)
      for day in entity.days {
        var members = shownFields(day.fields)
        if !members.contains(where: { $0.name == section.progressField }) {
          members.append((section.progressField, Self.number(0)))
        }
        let isCompleted = DayTally.isCompleted(day, goal: goal, section)
        members.append(("completed", Self.json(.bool(isCompleted))))
        members.append(("date", Self.string(day.day.description)))
        members.append((section.entityMember, key))
        if !day.contested.isEmpty { members.append(("contested", Self.strings(day.contested))) }
        if output.count > 1 { output.append(UInt8(ascii: ",")) }
        output += Self.object(members)
      }
    }
    output.append(UInt8(ascii: "]"))
    return output
  }

  private func conflict(_ conflict: Conflict) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = [
      ("id", Self.string(conflict.id)), ("entity", Self.string(conflict.entity)),
      ("field", Self.string(conflict.field)), ("kind", Self.string(conflict.kind.rawValue)),
      (
        "candidates",
        Self.array(
          conflict.candidates.map { candidate in
            Self.object([
              ("event", Self.string(candidate.event.description)),
              ("device", Self.string(candidate.event.device.text)),
              ("at", Self.string(candidate.at.description)),
              ("value", Self.json(candidate.value)),
            ])
          })
      ),
    ]
    if let base = conflict.base { members.append(("base", Self.json(base))) }
    if let shown = conflict.shown { members.append(("shown", Self.string(shown.description))) }
    return Self.object(members)
  }

  // MARK: - JSON

  private static func object(_ members: [(name: String, value: [UInt8])]) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "{")]
    let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for (index, member) in sorted.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      JSONValue.write(string: member.name.utf8, to: &output)
      output.append(UInt8(ascii: ":"))
      output += member.value
    }
    output.append(UInt8(ascii: "}"))
    return output
  }

  private static func array(_ values: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + values.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }

  private static func strings(_ values: [String]) -> [UInt8] { array(values.map(string)) }

  private static func string(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    JSONValue.write(string: text.utf8, to: &output)
    return output
  }

  private static func number(_ value: Int64) -> [UInt8] { Array(String(value).utf8) }

  private static func json(_ value: JSONValue) -> [UInt8] {
    var output: [UInt8] = []
    value.write(to: &output)
    return output
  }
}

extension Snapshot {
  /// The names of all sections, conflicts last.
  public var sections: [String] { catalog.sections }

  /// The state as one JSON object (UTF-8, keys sorted, no white space), as `project --json` prints it.
  ///
  /// - Parameter sections: names from ``sections``; others are passed over.
  /// - Complexity: O(n log n) in the state shown.
  public func json(sections: Set<String>? = nil) -> [UInt8] {
    SnapshotJSON(snapshot: self).object(sections: sections ?? Set(self.sections))
  }
}
