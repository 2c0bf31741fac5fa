import EventLog

/// Finds the entities of rows with the same key that are different things, by their content.
///
/// The entities have the key, and the key with `~2`, `~3` and so on. A row continues the entity
/// that had all of its values, or else the free one that had most of them. Rows of one day have the
/// day in common; other ones that share no value are different things, so that a new row doesn't
/// continue a removed one. New rows take new entities in the order of their values. So rows can be
/// sorted in another way, inserted and removed, and none continues the entity of another one that
/// is still there.
struct EqualKeyMatching {
  /// The most comparisons of changed rows with entities of one key. More are matched in order.
  private static let comparisonsMax = 1 << 20

  /// The states of the imports of the source, the first of which has the newest values.
  private let stated: [Snapshot]
  private var values: [EntityID: Values?] = [:]

  /// - Parameters:
  ///   - stated: The state of all imports of the source, or nil if there are none.
  ///   - undone: The state of those that were undone, or nil if there are none.
  init(_ stated: Snapshot?, undone: Snapshot?) { self.stated = [stated, undone].compactMap { $0 } }

  /// The values of an entity that were stated before.
  private struct Values {
    var fields: [Place: JSONValue] = [:]
    var days: Set<Day> = []
  }

  /// A field of an entity or of one of its days.
  private struct Place: Hashable {
    var day: Day?
    var field: String
  }

  /// The rows with one key; if they have days, those of one day.
  private struct Group: Hashable {
    var entity: EntityID
    var day: Day?
  }

  private struct Row {
    var number: Int
    var values: [Place: JSONValue] = [:]
    /// The values of unwritten fields.
    var initials: [Place: JSONValue] = [:]
    /// The fields that all rows with the key have in common.
    var ofKey: Set<Place> = []
  }

  private struct RowName: Hashable {
    var group: Group
    var number: Int
  }

  /// Returns the statements with the entities that they are about.
  mutating func resolved(_ statements: [Statement]) -> [Statement] {
    let several = severalRows(statements)
    var rows: [Group: [Row]] = [:]
    var indexes: [RowName: Int] = [:]
    for statement in statements {
      guard let (group, number) = Self.row(of: statement), several.contains(group) else { continue }
      let name = RowName(group: group, number: number)
      let index = indexes[name] ?? rows[group, default: []].count
      if indexes.updateValue(index, forKey: name) == nil {
        rows[group, default: []].append(Row(number: number))
      }
      let place = Place(day: statement.target.day, field: statement.field)
      rows[group, default: []][index].values[place] = statement.value.json
      rows[group, default: []][index].initials[place] = statement.column.initial
      if statement.column.isOfKey { rows[group, default: []][index].ofKey.insert(place) }
    }
    if rows.isEmpty { return statements }
    var found: [RowName: EntityID] = [:]
    for (group, rows) in rows {
      for (row, entity) in zip(rows, matches(of: rows, in: group)) {
        found[RowName(group: group, number: row.number)] = entity
      }
    }
    var assignment = EntityAssignment()
    return statements.map { statement in
      guard let (group, number) = Self.row(of: statement),
        let entity = found[RowName(group: group, number: number)]
      else { return statement }
      var statement = statement
      assignment.assign(entity, to: &statement)
      return statement
    }
  }

  /// The groups of which there are several rows, or were several entities.
  private mutating func severalRows(_ statements: [Statement]) -> Set<Group> {
    var found: Set<Group> = []
    var checked: Set<EntityID> = []
    var suffixed: Set<EntityID> = []
    for statement in statements {
      guard let (group, number) = Self.row(of: statement) else { continue }
      if checked.insert(group.entity).inserted, let second = Self.entity(2, of: group.entity),
        values(of: second) != nil
      {
        suffixed.insert(group.entity)
      }
      if number > 1 || suffixed.contains(group.entity) { found.insert(group) }
    }
    return found
  }

  private static func row(of statement: Statement) -> (group: Group, number: Int)? {
    guard let twin = statement.twin, twin.traits.isEmpty, let entity = statement.target.entity
    else { return nil }
    return (Group(entity: entity, day: twin.day), twin.number)
  }

  // MARK: - One key

  /// Returns the entity of each row.
  private mutating func matches(of rows: [Row], in group: Group) -> [EntityID] {
    let places = Set(rows.flatMap(\.values.keys)).sorted {
      ($0.day?.number ?? .min, $0.field) < ($1.day?.number ?? .min, $1.field)
    }
    let new = rows.map { row in places.map { row.values[$0] ?? .null } }
    let initials = places.map { place in
      rows.lazy.compactMap { $0.initials[place] }.first ?? .null
    }
    var (known, free) = slots(of: group, places, initials)
    var found = [Int?](repeating: nil, count: rows.count)
    takeEqual(new, known, &free, &found)
    let compared = places.indices.filter { index in
      !rows.contains { $0.ofKey.contains(places[index]) }
    }
    takeMostAlike(&free, &found) { row, slot in
      let shared = compared.count { index in
        let value = new[row][index]
        return value == known[slot]?[index] && value != .null && value != initials[index]
      }
      return shared + (group.day == nil ? 0 : 1)
    }
    let rest = rows.indices.filter { found[$0] == nil }.sorted {
      let (left, right) = (new[$0].map(\.text), new[$1].map(\.text))
      return left == right ? $0 < $1 : left.lexicographicallyPrecedes(right)
    }
    var next = 0
    for row in rest {
      while next < known.count, known[next] != nil { next += 1 }
      found[row] = next
      next += 1
    }
    known = []
    return found.map { Self.entity(($0 ?? 0) + 1, of: group.entity) ?? group.entity }
  }

  /// Returns the values of the entities that were stated, or nil for those without any on the day,
  /// and the numbers of those that have some.
  private mutating func slots(
    of group: Group, _ places: [Place], _ initials: [JSONValue]
  ) -> (known: [[JSONValue]?], free: [Int]) {
    var known: [[JSONValue]?] = []
    while let entity = Self.entity(known.count + 1, of: group.entity),
      let values = values(of: entity)
    {
      let isStated = group.day.map(values.days.contains) ?? true
      known.append(
        isStated ? zip(places, initials).map { values.fields[$0] ?? $1 } : nil)
    }
    return (known, known.indices.filter { known[$0] != nil })
  }

  /// Matches rows with entities that have all of their values. Equal rows are interchangeable.
  private func takeEqual(
    _ new: [[JSONValue]], _ known: [[JSONValue]?], _ free: inout [Int], _ found: inout [Int?]
  ) {
    var equal: [[JSONValue]: [Int]] = [:]
    for slot in free.reversed() { equal[known[slot] ?? [], default: []].append(slot) }
    for row in new.indices { found[row] = equal[new[row]]?.popLast() }
    let taken = Set(found.compactMap(\.self))
    free.removeAll(where: taken.contains)
  }

  /// Matches changed rows with the free entities that have most of their values, and at least one.
  private func takeMostAlike(
    _ free: inout [Int], _ found: inout [Int?], _ likeness: (_ row: Int, _ slot: Int) -> Int
  ) {
    let rows = found.indices.filter { found[$0] == nil }
    var pairs: [(row: Int, slot: Int, likeness: Int)] = []
    if rows.count <= Self.comparisonsMax / max(1, free.count) {
      for row in rows {
        for slot in free { pairs.append((row, slot, likeness(row, slot))) }
      }
      pairs.sort { ($1.likeness, $0.slot, $0.row) < ($0.likeness, $1.slot, $1.row) }
    } else {
      pairs = zip(rows, free).map { ($0, $1, likeness($0, $1)) }
    }
    var left = Set(free)
    for pair in pairs where pair.likeness > 0 && found[pair.row] == nil {
      if left.remove(pair.slot) != nil { found[pair.row] = pair.slot }
    }
    free.removeAll { !left.contains($0) }
  }

  // MARK: - Entities stated before

  /// Returns the entity of a number, from 1.
  private static func entity(_ number: Int, of entity: EntityID) -> EntityID? {
    number == 1 ? entity : EntityID(kind: entity.kind, key: "\(entity.key)~\(number)")
  }

  private mutating func values(of entity: EntityID) -> Values? {
    if let known = values[entity] { return known }
    var found: Values?
    // An import beside an undo states only what has changed, so the undone values count, too.
    for shown in stated.reversed().compactMap({ $0.entity(entity) }) {
      var values = found ?? Values()
      for field in shown.fields { values.fields[Place(field: field.name)] = field.shown }
      for day in shown.days {
        for field in day.fields where field.shown != nil {
          values.fields[Place(day: day.day, field: field.name)] = field.shown
          values.days.insert(day.day)
        }
      }
      found = values
    }
    values[entity] = .some(found)
    return found
  }
}
