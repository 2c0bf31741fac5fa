import EventLog

/// The values that imports have stated, by the names of the fields.
struct StatedValues {
  private let state: Snapshot?
  private var entities: [EntityID: Entity?] = [:]

  /// - Parameter state: The state of the imports, or nil if there are none.
  init(_ state: Snapshot?) { self.state = state }

  /// The fields of an entity and of its days.
  private struct Entity {
    var fields: [String: ProjectedField]
    var days: [Day: [String: ProjectedField]]
  }

  private static func named(_ fields: [ProjectedField]) -> [String: ProjectedField] {
    Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  private mutating func entity(_ id: EntityID) -> Entity? {
    if let known = entities[id] { return known }
    let found = state?.entity(id).map { entity in
      Entity(
        fields: Self.named(entity.fields),
        days: Dictionary(
          entity.days.map { ($0.day, Self.named($0.fields)) }, uniquingKeysWith: { $1 }))
    }
    entities[id] = .some(found)
    return found
  }

  mutating func exists(_ id: EntityID) -> Bool { entity(id) != nil }

  /// The last day of an entity for which a value was stated.
  mutating func lastDay(of id: EntityID) -> Day? { entity(id)?.days.keys.max() }

  mutating func fields(of target: Statement.Target) -> [String: ProjectedField] {
    guard let id = target.entity else {
      return Self.named(state?.singleton(target.kind) ?? [])
    }
    let found = entity(id)
    guard let day = target.day else { return found?.fields ?? [:] }
    return found?.days[day] ?? [:]
  }

  /// The values of a dated field, without an absent one at the beginning.
  func timeline(of field: String, _ target: Statement.Target) -> [Timeline.Step] {
    let place = target.entity?.description ?? target.kind
    let steps = state?.timeline(of: field, in: place).steps ?? []
    return steps.filter { $0.from != nil || $0.value != .null }
  }
}
