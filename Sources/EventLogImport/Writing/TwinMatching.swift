import EventLog

/// Finds the entities of rows with the same key, such as two habits of one name.
///
/// The position of a row is no identity: an app can sort its rows in another order, and remove
/// some. So such rows are told apart by their traits, such as schedule, color and first day. A row
/// continues the entity stated before that agrees with it in all traits, or in all but one of three
/// or more. Rows of a new name get keys made from their traits.
struct TwinMatching {
  /// Sentences about rows that are left.
  private(set) var remarks: [String] = []
  /// The states of the imports of the source, the first of which has the newest values.
  private let stated: [Snapshot]
  /// The entities stated before whose key is another one with a suffix, by that key.
  private var suffixed: [EntityID: [EntityID]] = [:]
  private var kinds: Set<String> = []

  /// - Parameters:
  ///   - stated: The state of all imports of the source, or nil if there are none.
  ///   - undone: The state of those that were undone, or nil if there are none. Their keys stay.
  init(_ stated: Snapshot?, undone: Snapshot?) { self.stated = [stated, undone].compactMap { $0 } }

  /// A row of the source.
  private struct Row {
    var twin: Statement.Twin
    var location: SourceLocation
    var values: [String: JSONValue] = [:]
    var firstDay: Day?

    mutating func add(_ statement: Statement) {
      if let day = statement.target.day {
        if !statement.value.isNothing { firstDay = min(firstDay ?? day, day) }
      } else if twin.traits.contains(statement.field) {
        values[statement.field] = statement.value.json
      }
    }

    var traits: [JSONValue] {
      twin.traits.map { name in
        name == TableMap.firstDay
          ? firstDay.map { .string($0.description) } ?? .null : values[name] ?? .null
      }
    }
  }

  private struct RowName: Hashable {
    var entity: EntityID
    var number: Int
  }

  /// Returns the statements with the entities that they are about, without those of rows that are
  /// left.
  mutating func resolved(_ statements: [Statement]) -> [Statement] {
    var rows: [EntityID: [Row]] = [:]
    var entities: [EntityID] = []
    for statement in statements {
      guard let twin = statement.twin, !twin.traits.isEmpty,
        let entity = statement.target.entity
      else { continue }
      if rows[entity] == nil { entities.append(entity) }
      let index = rows[entity]?.firstIndex { $0.twin.number == twin.number }
      let count = rows[entity]?.count ?? 0
      if index == nil {
        rows[entity, default: []].append(Row(twin: twin, location: statement.location))
      }
      rows[entity, default: []][index ?? count].add(statement)
    }
    if entities.isEmpty { return statements }
    var found: [RowName: EntityID?] = [:]
    for entity in entities {
      for (number, match) in matches(of: rows[entity] ?? [], named: entity) {
        found[RowName(entity: entity, number: number)] = .some(match)
      }
    }
    var assignment = EntityAssignment()
    return statements.compactMap { statement in
      guard let twin = statement.twin, !twin.traits.isEmpty,
        let entity = statement.target.entity,
        let match = found[RowName(entity: entity, number: twin.number)]
      else { return statement }
      guard let match else { return nil }
      var statement = statement
      assignment.assign(match, to: &statement)
      return statement
    }
  }

  // MARK: - One key

  /// Returns the entity of each row, or nil for a row that is left.
  private mutating func matches(
    of rows: [Row], named entity: EntityID
  ) -> [(number: Int, entity: EntityID?)] {
    let known = known(entity)
    if rows.count == 1, known.allSatisfy({ $0 == entity }) {
      return [(rows[0].twin.number, entity)]
    }
    let old = known.map { traits(of: $0, like: rows[0].twin) }
    let new = rows.map(\.traits)
    var pairs = Pairs(rows: new.count, entities: old.count)
    pairs.match { new[$0] == old[$1] }
    let needed = max(rows[0].twin.traits.count - 1, min(rows[0].twin.traits.count, 2))
    func agree(_ row: Int, _ entity: Int) -> Bool {
      zip(new[row], old[entity]).count { $0 == $1 } >= needed
    }
    pairs.match(agree)
    return rows.indices.map { index in
      let row = rows[index]
      if let match = pairs.entities[index] { return (row.twin.number, known[match]) }
      if pairs.freeEntities.contains(where: { agree(index, $0) }) {
        leave(row, "several of that name are alike in it")
      } else if !pairs.freeEntities.isEmpty {
        leave(row, "it agrees with none of that name that was imported before")
      } else if let entity = newEntity(row, entity), !known.contains(entity),
        new.count(where: { $0 == new[index] }) == 1
      {
        return (row.twin.number, entity)
      } else {
        leave(row, "another one of that name is the same in it")
      }
      return (row.twin.number, nil)
    }
  }

  private mutating func leave(_ row: Row, _ reason: String) {
    let names = row.twin.traits.map { $0 == TableMap.firstDay ? "first day" : $0 }
    remarks.append(
      "\(row.location) and its days were left: by \(names.joined(separator: ", ")), \(reason)."
        + " Give it a name of its own in the app, and export again.")
  }

  private func newEntity(_ row: Row, _ entity: EntityID) -> EntityID? {
    EntityID(
      kind: entity.kind,
      key: "\(entity.key)\(Self.mark)\(MintedKey.digest(of: row.traits.map(\.text)))")
  }

  // MARK: - Entities stated before

  /// The mark between a key and the digest of a row's traits. No name becomes a key with it.
  private static let mark = "~~"

  /// The entities of a name that were stated before, sorted by key.
  private mutating func known(_ entity: EntityID) -> [EntityID] {
    if kinds.insert(entity.kind).inserted {
      for state in stated { findSuffixed(entity.kind, state) }
    }
    return (stated.contains { $0.entity(entity) != nil } ? [entity] : [])
      + (suffixed[entity] ?? []).sorted { $0.key.precedes($1.key) }
  }

  private mutating func findSuffixed(_ kind: String, _ state: Snapshot) {
    let catalog = state.catalog
    guard let index = catalog.collections.firstIndex(where: { $0.kind == kind }) else { return }
    for number in state.fold.entities(of: index) {
      guard let entity = EntityID(state.fold.entityNames.text(Int(number))),
        let base = Self.base(of: entity.key), let name = EntityID(kind: kind, key: base),
        !suffixed[name, default: []].contains(entity)
      else { continue }
      suffixed[name, default: []].append(entity)
    }
  }

  /// Returns the key without the suffix of a twin, or nil if it has none.
  private static func base(of key: String) -> String? {
    if let range = key.firstRange(of: mark) { return String(key[..<range.lowerBound]) }
    // Earlier imports numbered twins: ~2.
    guard let last = key.lastIndex(of: "~") else { return nil }
    let number = key[key.index(after: last)...]
    return number.count < 8 && Int(number).map { $0 > 1 } ?? false ? String(key[..<last]) : nil
  }

  private func traits(of entity: EntityID, like twin: Statement.Twin) -> [JSONValue] {
    // An import beside an undo states only what has changed, so each trait has a state of its own.
    let states = stated.compactMap { $0.entity(entity) }
    return twin.traits.map { name in
      guard name == TableMap.firstDay else {
        return states.lazy.compactMap { $0[name] }.first { $0 != .null } ?? .null
      }
      let days = states.lazy.compactMap { state in
        state.days.first { $0.fields.contains { $0.shown != nil } }
      }
      return days.first.map { .string($0.day.description) } ?? .null
    }
  }
}

/// Pairs of rows and entities, each of which is in at most one.
private struct Pairs {
  /// The entity of each row.
  private(set) var entities: [Int?]
  private(set) var freeEntities: [Int]

  init(rows: Int, entities count: Int) {
    entities = Array(repeating: nil, count: rows)
    freeEntities = Array(0..<count)
  }

  /// Adds the pairs in which each side has no other that fits, as long as there are some.
  mutating func match(_ fits: (_ row: Int, _ entity: Int) -> Bool) {
    var isDone = false
    while !isDone {
      isDone = true
      let rows = entities.indices.filter { entities[$0] == nil }
      for row in rows {
        let fitting = freeEntities.filter { fits(row, $0) }
        guard fitting.count == 1,
          !rows.contains(where: { $0 != row && entities[$0] == nil && fits($0, fitting[0]) })
        else { continue }
        entities[row] = fitting[0]
        freeEntities.removeAll { $0 == fitting[0] }
        isDone = false
      }
    }
  }
}
