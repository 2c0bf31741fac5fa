import EventLog

/// Compares the fields of two states in the rows that some events touched.
struct FieldComparison {
  let left: Snapshot
  let right: Snapshot
  private(set) var fields: [JournalDifference.Field] = []

  init(_ left: Snapshot, _ right: Snapshot, in rows: TouchedRows) {
    self.left = left
    self.right = right
    for kind in left.catalog.collections.filter(\.isSingleton).map(\.kind) {
      compare(kind, left.singleton(kind), right.singleton(kind))
    }
    for (entity, days) in rows.entities.sorted(by: { Self.isBefore($0.key, $1.key) }) {
      compare(entity, days)
    }
  }

  private static func isBefore(_ left: EntityID, _ right: EntityID) -> Bool {
    left.description.precedes(right.description)
  }

  private mutating func compare(_ id: EntityID, _ touched: Set<Int32>) {
    let (here, there) = (left.entity(id, only: touched), right.entity(id, only: touched))
    let (hereState, thereState) = (Self.presence(here), Self.presence(there))
    if hereState != thereState {
      fields.append(
        .init(entity: id.description, field: "presence", left: hereState, right: thereState))
      // A deleted entity shows nothing, so all its fields would differ.
      if here != nil, there != nil { return }
    }
    compare(id.description, here?.fields ?? [], there?.fields ?? [])
    let (hereDays, thereDays) = (Self.days(here), Self.days(there))
    for day in Set(hereDays.keys).union(thereDays.keys).sorted() {
      compare("\(id)@\(day)", hereDays[day] ?? [], thereDays[day] ?? [])
    }
  }

  private static func days(_ entity: ProjectedEntity?) -> [Day: [ProjectedField]] {
    Dictionary(
      (entity?.days ?? []).map { ($0.day, $0.fields) }, uniquingKeysWith: { first, _ in first })
  }

  private static func presence(_ entity: ProjectedEntity?) -> JSONValue? {
    entity.map { $0.isDeleted ? "deleted" : "present" }
  }

  private mutating func compare(
    _ entity: String, _ left: [ProjectedField], _ right: [ProjectedField]
  ) {
    let (left, right) = (Self.byName(left), Self.byName(right))
    let names = Set(left.keys).union(right.keys)
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let (here, there) = (left[name]?.shown, right[name]?.shown)
      if here != there {
        fields.append(
          .init(
            entity: entity, field: String(decoding: name, as: UTF8.self), left: here, right: there))
      }
    }
  }

  /// Returns the fields by the bytes of their names; `==` compares by canonical equivalence.
  private static func byName(_ fields: [ProjectedField]) -> [[UInt8]: ProjectedField] {
    Dictionary(fields.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
  }
}
