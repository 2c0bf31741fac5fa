import EventLog

/// Creates events for the statements that differ from earlier ones of the source.
///
/// They are compared with the imports of this user, and with all imports of the source: those of
/// another user count here only until their adoption is undone.
struct SourceEvents {
  private let catalog: SchemaCatalog
  /// The state of this user's imports.
  private let own: StatedValues
  /// The state of all imports of the source.
  private let all: StatedValues
  /// The prefix of each event's `ref`, before the colon.
  private let source: String
  /// Sentences about skipped or changed values.
  private(set) var remarks: [String] = []
  private var begun: Set<EntityName> = []

  /// - Parameters:
  ///   - own: The state of this user's imports, or nil if there are none.
  ///   - all: The state of all imports of the source, or nil if there are none.
  init(_ catalog: SchemaCatalog, own: Snapshot?, all: Snapshot?, source: String) {
    self.catalog = catalog
    (self.own, self.all) = (StatedValues(own), StatedValues(all))
    self.source = source
  }

  /// A statement in the order of the events.
  private struct Position: Comparable {
    var time: Int64
    /// The index of the first statement about the same entity, day or singleton at that time.
    var first: Int32
    var index: Int32

    static func < (left: Position, right: Position) -> Bool {
      (left.time, left.first, left.index) < (right.time, right.first, right.index)
    }
  }

  /// An entity, day or singleton at one time, without a copy of its name.
  private struct GroupName: Hashable {
    let row: Statement.Row

    static func == (left: GroupName, right: GroupName) -> Bool {
      left.row.target == right.row.target && left.row.at == right.row.at
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(row.target)
      hasher.combine(row.at)
    }
  }

  /// An entity, without a copy of its name.
  private struct EntityName: Hashable {
    let row: Statement.Row

    static func == (left: EntityName, right: EntityName) -> Bool {
      left.row.target.entity == right.row.target.entity
    }

    func hash(into hasher: inout Hasher) { hasher.combine(row.target.entity?.key) }
  }

  /// Passes the events to a closure, one by one: a large source has many.
  ///
  /// They are sorted by time, with those that have none first, and otherwise by position.
  mutating func forEach(
    for statements: consuming [Statement],
    _ body: (EventDraft) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    var values = RepeatedValues()
    var counting = try values.united(consume statements)
    remarks += (consume values).remarks
    guard let first = counting.first else { return }
    let order = Self.order(of: counting)
    var group: [Statement] = []
    for (index, position) in order.enumerated() {
      group.append(counting[Int(position.index)])
      // The events take as much memory as the statements, so release those that are done.
      counting[Int(position.index)] = first
      if index + 1 < order.count, order[index + 1].first == position.first { continue }
      for draft in try events(of: group) { try body(draft) }
      group.removeAll(keepingCapacity: true)
    }
  }

  private static func order(of statements: [Statement]) -> [Position] {
    var first: [GroupName: Int32] = [:]
    var order: [Position] = []
    order.reserveCapacity(statements.count)
    for (index, statement) in statements.enumerated() {
      var position = Position(
        time: statement.at?.milliseconds ?? .min, first: Int32(index), index: Int32(index))
      if index > 0, statements[index - 1].row === statement.row {
        position.first = order[index - 1].first
      } else if let known = first[GroupName(row: statement.row)] {
        position.first = known
      } else {
        first[GroupName(row: statement.row)] = Int32(index)
      }
      order.append(position)
    }
    order.sort()
    return order
  }

  // MARK: - One entity, day or singleton

  private mutating func events(
    of statements: [Statement]
  ) throws(EventLogError) -> [EventDraft] {
    let target = statements[0].target
    var changes: [FieldChange] = []
    /// The changes of dated fields that the source had stated before, by the first day.
    var dated: [(from: Day?, changes: [FieldChange])] = []
    for statement in statements {
      let before = own.field(statement.field, of: target)
      let known = all.field(statement.field, of: target)
      var found = change(by: statement, before, known)
      if known != nil, isDated(statement.field, of: target) {
        if before == nil {
          dated += restated(statement.field, of: target)
          found = change(by: statement, known, known)
        }
        if !found.isEmpty { dated.append((dayAfterStated(of: target), found)) }
      } else {
        changes += found
      }
    }
    let name = EntityName(row: statements[0].row)
    let isNew =
      target.entity.map { target.day == nil && !begun.contains(name) && !own.exists($0) } ?? false
    guard !changes.isEmpty || !dated.isEmpty else { return [] }
    let lifecycle: EventSchema.Lifecycle = isNew && begins(target.kind) ? .begins : .none
    if target.entity != nil, target.day == nil { begun.insert(name) }
    var drafts: [EventDraft]
    do throws(EventLogError) {
      drafts = try catalog.events(
        for: changes, kind: target.kind, entity: target.entity, day: target.day,
        lifecycle: lifecycle)
      for (from, changes) in merged(dated) {
        drafts += try catalog.events(
          for: changes, kind: target.kind, entity: target.entity, from: from)
      }
    } catch {
      guard error.code == .invalidEvent else { throw error }
      // This is a set in an undeclared field, which the collection's types can't write.
      throw EventLogError(
        .invalidInput, "\(statements[0].location) cannot be imported: \(error.message)",
        hint: error.hint)
    }
    for index in drafts.indices {
      drafts[index].at = statements[0].at
      drafts[index].ref = ref(of: target)
    }
    return drafts
  }

  private func isDated(_ field: String, of target: Statement.Target) -> Bool {
    target.day == nil && catalog.collection(kind: target.kind)?.field(field)?.isDated == true
  }

  /// The values of a dated field that other imports of the source stated, with their days.
  ///
  /// A value from the beginning would replace them, and so undo completed days.
  private func restated(
    _ field: String, of target: Statement.Target
  ) -> [(from: Day?, changes: [FieldChange])] {
    all.timeline(of: field, target).map { ($0.from, [.write(field: field, $0.value)]) }
  }

  /// The changes of each day, in the order of the days.
  private func merged(
    _ dated: [(from: Day?, changes: [FieldChange])]
  ) -> [(from: Day?, changes: [FieldChange])] {
    var days: [(from: Day?, changes: [FieldChange])] = []
    for (from, changes) in dated {
      if let index = days.firstIndex(where: { $0.from == from }) {
        days[index].changes += changes
      } else {
        days.append((from, changes))
      }
    }
    return days.sorted { ($0.from?.number ?? .min) < ($1.from?.number ?? .min) }
  }

  /// The day after the last one that the source had stated, from which changed goals apply.
  ///
  /// The current day would differ between two devices that import the same file.
  private func dayAfterStated(of target: Statement.Target) -> Day? {
    target.entity.flatMap { all.lastDay(of: $0) }
      .flatMap { $0 < Day.last ? $0.advanced(by: 1) : $0 }
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

  /// Returns the changes by a statement, compared with both states.
  private func change(
    by statement: Statement, _ own: StatedValues.Field?, _ all: StatedValues.Field?
  ) -> [FieldChange] {
    if statement.isForced { return [Self.clearing(statement)] }
    guard case .members(let members) = statement.value else {
      let found = Self.change(by: statement, shown: own)
      return found.isEmpty ? Self.change(by: statement, shown: all) : found
    }
    let stated = [own, all].map { field in
      guard case .members(let members)? = field?.value else { return [String]() }
      return members
    }
    let known = stated.map { Set($0.map { Array($0.utf8) }) }
    let now = Set(members.map { Array($0.utf8) })
    let added = members.filter { member in !known.allSatisfy { $0.contains(Array(member.utf8)) } }
    var removed: [String] = []
    for member in stated.joined()
    where !now.contains(Array(member.utf8)) && !removed.contains(where: { $0.hasBytes(of: member) })
    {
      removed.append(member)
    }
    return (added.isEmpty ? [] : [.include(field: statement.field, added)])
      + (removed.isEmpty ? [] : [.exclude(field: statement.field, removed)])
  }

  /// Returns the change of a statement that takes back an undone one.
  static func clearing(_ statement: Statement) -> FieldChange {
    switch statement.value {
    case .write(let value): .write(field: statement.field, value)
    case .count(let count): .set(field: statement.field, count)
    case .members(let members): .exclude(field: statement.field, members)
    }
  }

  /// Returns the change of a register or a counter, compared with one state.
  private static func change(by statement: Statement, shown: StatedValues.Field?) -> [FieldChange] {
    let isSettled = shown.map { !$0.isContested } ?? true
    switch statement.value {
    case .write(let value):
      var old: JSONValue?
      if case .json(let value)? = shown?.value, value != .null { old = value }
      if isSettled, (old ?? statement.column.initial ?? .null) == value { return [] }
      return [.write(field: statement.field, value)]
    case .count(let count):
      var old: Amount?
      if case .count(let total?)? = shown?.value { old = Amount(total) }
      if isSettled, old == count { return [] }
      return [.set(field: statement.field, count)]
    case .members: return []
    }
  }
}
