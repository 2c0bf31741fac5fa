import EventLog

/// Creates events for the statements that differ from a store's earlier ones.
struct SourceEvents {
  private let catalog: SchemaCatalog
  /// The state of the store's earlier events, or nil if there are none.
  private let said: Snapshot?
  /// The prefix of each event's `ref`, before the colon.
  private let source: String
  /// Sentences about skipped or changed values.
  private(set) var remarks: [String] = []
  private var entities: [EntityID: SaidEntity?] = [:]
  private var begun: Set<EntityID> = []

  init(_ catalog: SchemaCatalog, said: Snapshot?, source: String) {
    self.catalog = catalog
    self.said = said
    self.source = source
  }

  /// The fields of an entity and of its days, by name.
  private struct SaidEntity {
    var fields: [String: ProjectedField]
    var days: [Day: [String: ProjectedField]]

    init(_ entity: ProjectedEntity) {
      fields = Self.named(entity.fields)
      days = Dictionary(
        entity.days.map { ($0.day, Self.named($0.fields)) }, uniquingKeysWith: { $1 })
    }

    static func named(_ fields: [ProjectedField]) -> [String: ProjectedField] {
      Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
  }

  /// The statements about one entity, day or singleton at one time.
  private struct Group {
    var target: Statement.Target
    var at: Timestamp?
    var statements: [Statement] = []
  }

  private struct GroupName: Hashable {
    var target: Statement.Target
    var at: Timestamp?
  }

  mutating func drafts(for statements: [Statement]) throws(EventLogError) -> [EventDraft] {
    var groups: [Group] = []
    var indexes: [GroupName: Int] = [:]
    for statement in counting(statements) {
      let name = GroupName(target: statement.target, at: statement.at)
      let index = indexes[name] ?? groups.count
      if index == groups.count {
        groups.append(Group(target: statement.target, at: statement.at))
        indexes[name] = index
      }
      groups[index].statements.append(statement)
    }
    var drafts: [EventDraft] = []
    // Sort by time, with groups that have none first, and otherwise by position.
    let order = groups.indices.sorted { left, right in
      let times = (groups[left].at?.milliseconds, groups[right].at?.milliseconds)
      return (times.0 ?? .min, left) < (times.1 ?? .min, right)
    }
    for index in order { drafts += try events(of: groups[index]) }
    return drafts
  }

  private struct FieldName: Hashable {
    var kind: String
    var entity: EntityID?
    var day: Day?
    var field: String

    init(_ statement: Statement) {
      let target = statement.target
      (kind, entity, day) = (target.kind, target.entity, target.day)
      field = statement.field
    }
  }

  /// Returns one statement for each field: the latest one, or the last one at the same time.
  ///
  /// The others aren't written: a repeated import would treat them as changes.
  private mutating func counting(_ statements: [Statement]) -> [Statement] {
    var counting: [Statement] = []
    var indexes: [FieldName: Int] = [:]
    for statement in statements {
      let name = FieldName(statement)
      guard let index = indexes[name] else {
        indexes[name] = counting.count
        counting.append(statement)
        continue
      }
      let other = counting[index]
      if statement.at?.milliseconds ?? .min >= other.at?.milliseconds ?? .min {
        counting[index] = statement
      }
      if !other.value.isSame(as: statement.value) {
        remarks.append(
          "\(statement.location) and \(other.location) give \"\(statement.field)\" different"
            + " values: the later one counts.")
      }
    }
    return counting
  }

  // MARK: - One entity, day or singleton

  private mutating func events(of group: Group) throws(EventLogError) -> [EventDraft] {
    let target = group.target
    let fields = shownFields(of: target)
    var changes: [FieldChange] = []
    /// The changes of dated fields that the source had stated before.
    var dated: [FieldChange] = []
    for statement in group.statements {
      let shown = fields[statement.field]
      let change = change(by: statement, shown: shown)
      if shown != nil, isDated(statement.field, of: target) {
        dated += change
      } else {
        changes += change
      }
    }
    var lifecycle = EventSchema.Lifecycle.none
    if let entity = target.entity, target.day == nil, !exists(entity), !(changes + dated).isEmpty {
      lifecycle = begins(entity.kind) ? .begins : .none
    }
    guard !(changes + dated).isEmpty else { return [] }
    if let entity = target.entity, target.day == nil { begun.insert(entity) }
    var drafts: [EventDraft]
    do throws(EventLogError) {
      drafts = try catalog.events(
        for: changes, kind: target.kind, entity: target.entity, day: target.day,
        lifecycle: lifecycle)
      drafts += try catalog.events(
        for: dated, kind: target.kind, entity: target.entity,
        from: target.entity.flatMap { dayAfterStated(of: $0) })
    } catch {
      guard error.code == .invalidEvent else { throw error }
      // This is a set in an undeclared field, which the collection's types can't write.
      throw EventLogError(
        .invalidInput, "\(group.statements[0].location) cannot be imported: \(error.message)",
        hint: error.hint)
    }
    for index in drafts.indices {
      drafts[index].at = group.at
      drafts[index].ref = ref(of: target)
    }
    return drafts
  }

  private func isDated(_ field: String, of target: Statement.Target) -> Bool {
    target.day == nil && catalog.collection(kind: target.kind)?.field(field)?.isDated == true
  }

  /// The day after the last one that the source had stated, from which changed goals apply.
  ///
  /// The current day would differ between two devices that import the same file.
  private mutating func dayAfterStated(of entity: EntityID) -> Day? {
    projected(entity)?.days.keys.max().flatMap { $0 < Day.last ? $0.advanced(by: 1) : $0 }
  }

  private func ref(of target: Statement.Target) -> String {
    var name = target.entity?.key ?? target.key
    if name.isEmpty { name = target.kind }
    if let day = target.day { name += "@\(day)" }
    let ref = "\(source):\(name)"
    guard !EventDraft.isValid(ref: ref) else { return ref }
    return "\(source):\(MintedKey.part(" " + name))"
  }

  private func begins(_ kind: String) -> Bool {
    catalog.collection(kind: kind)?.events.contains { $0.lifecycle == .begins } ?? false
  }

  private mutating func exists(_ entity: EntityID) -> Bool {
    begun.contains(entity) || projected(entity) != nil
  }

  private mutating func projected(_ entity: EntityID) -> SaidEntity? {
    if let known = entities[entity] { return known }
    let found = said?.entity(entity).map { SaidEntity($0) }
    entities[entity] = .some(found)
    return found
  }

  private mutating func shownFields(of target: Statement.Target) -> [String: ProjectedField] {
    guard let entity = target.entity else {
      return SaidEntity.named(said?.singleton(target.kind) ?? [])
    }
    let said = projected(entity)
    guard let day = target.day else { return said?.fields ?? [:] }
    return said?.days[day] ?? [:]
  }

  private func change(by statement: Statement, shown: ProjectedField?) -> [FieldChange] {
    let name = statement.field
    let isSettled = shown.map { !$0.isContested } ?? true
    switch (statement.value, shown?.value) {
    case (.write(let value), let known):
      var old: JSONValue?
      if case .json(let value)? = known, value != .null { old = value }
      if isSettled, (old ?? statement.initial ?? .null) == value { return [] }
      return [.write(field: name, value)]
    case (.count(let count), let known):
      var old: Amount?
      if case .count(let total?)? = known { old = Amount(total) }
      if isSettled, old == count { return [] }
      return [.set(field: name, count)]
    case (.members(let members), let known):
      var old: [String] = []
      if case .members(let members)? = known { old = members }
      let (before, now) = (
        Set(old.map { Array($0.utf8) }), Set(members.map { Array($0.utf8) })
      )
      let added = members.filter { !before.contains(Array($0.utf8)) }
      let removed = old.filter { !now.contains(Array($0.utf8)) }
      return (added.isEmpty ? [] : [.include(field: name, added)])
        + (removed.isEmpty ? [] : [.exclude(field: name, removed)])
    }
  }
}
