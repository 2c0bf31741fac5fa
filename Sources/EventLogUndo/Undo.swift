import EventLog

/// Finds the events that undo others, from three states: before them, after them, and now.
///
/// A value that is the same now as after the events is set back to the value before them. Any other
/// value was written later and stays. A value that another device has written later stays even if
/// it is the same. Later events of the own device count only if they change the shown value, so a
/// chain of undos goes all the way back.
struct Undo {
  /// A field of a row.
  private struct FieldKey: Hashable, Comparable {
    var row: Int32
    var field: Int32

    static func < (one: FieldKey, other: FieldKey) -> Bool {
      (one.row, one.field) < (other.row, other.field)
    }
  }

  /// The effect of the undone events on one counter.
  private struct Count {
    var total: (value: CounterSum, dot: Dot)?
    var increments: [(amount: CounterSum, dot: Dot)] = []
  }

  /// The later writes that stay.
  private(set) var left: [UnseenWrite] = []

  private let before: Snapshot
  private let after: Snapshot
  private let now: Snapshot
  private let drafts: [EventDraft]
  /// The undone events in the current ledger.
  private let points: [Ledger.Point?]
  /// The rows that change, in the order of their first change.
  private var rows: [Int32] = []
  private var changes: [Int32: [FieldChange]] = [:]
  /// The values of dated fields, each with the day from which it applies.
  private var datedChanges: [Int32: [(change: FieldChange, from: Day?)]] = [:]
  private var done: Set<FieldKey> = []
  private var counts: [FieldKey: Count] = [:]
  private var members: [FieldKey: [String]] = [:]
  /// The entities to restore before fields change, and the entities to delete afterward.
  private var restored: [Int32] = []
  private var deleted: [Int32] = []
  /// Entities that are deleted and stay so. They are restored only while a field changes.
  private var hidden: Set<Int32> = []
  private var lookedAt: Set<Int32> = []
  /// Entities whose fields are left alone.
  private var untouched: Set<Int32> = []

  init(
    of receipt: AppendReceipt, before: Snapshot, after: Snapshot,
    in batch: JournalBatch<StoreSink>
  ) {
    (self.before, self.after) = (before, after)
    now = Snapshot(
      fold: batch.pass.sink.fold, ledger: batch.pass.ledger, damage: [], bases: ConflictBases())
    drafts = receipt.drafts
    let ledger = now.ledger
    points = receipt.appended.map { appended in
      let points = ledger.points(named: appended.id)
      return points.count == 1 ? points[0] : nil
    }
  }

  private var fold: Fold { now.fold }
  private var ledger: Ledger { now.ledger }

  /// Returns the events to append, in order.
  mutating func events(
    in batch: JournalBatch<StoreSink>
  ) throws(EventLogError) -> [EventDraft] {
    var writes = UndoneWrites(fold)
    for (draft, point) in zip(drafts, points) {
      guard let point else { continue }
      writes.point = point
      try batch.examine(draft, with: &writes)
    }
    for write in writes.found where write.entity >= 0 {
      if lookedAt.insert(write.entity).inserted { undoPresence(of: write.entity) }
    }
    for write in writes.found { collect(write) }
    for (key, count) in counts.sorted(by: { $0.key < $1.key }) { undo(count, at: key) }
    for (key, texts) in members.sorted(by: { $0.key < $1.key }) { undo(texts, at: key) }
    return try drafted()
  }

  private mutating func drafted() throws(EventLogError) -> [EventDraft] {
    for row in rows where hidden.remove(fold.rows[Int(row)].entity) != nil {
      restored.append(fold.rows[Int(row)].entity)
      deleted.append(fold.rows[Int(row)].entity)
    }
    var drafts: [EventDraft] = []
    for entity in restored { drafts += try events(.restores, entity) }
    drafts += try fieldEvents()
    for entity in deleted { drafts += try events(.deletes, entity) }
    return drafts
  }

  private func events(
    _ lifecycle: EventSchema.Lifecycle, _ entity: Int32
  ) throws(EventLogError) -> [EventDraft] {
    let collection = fold.catalog.collections[Int(fold.entities[Int(entity)].collection)]
    return try fold.catalog.events(
      for: [], kind: collection.kind, entity: id(of: entity), lifecycle: lifecycle)
  }

  private func fieldEvents() throws(EventLogError) -> [EventDraft] {
    var drafts: [EventDraft] = []
    for row in rows {
      let stored = fold.rows[Int(row)]
      func events(
        _ changes: [FieldChange], from: Day? = nil
      ) throws(EventLogError) -> [EventDraft] {
        try fold.catalog.events(
          for: changes, kind: fold.catalog.collections[fold.collection(ofRow: row)].kind,
          entity: stored.entity < 0 ? nil : id(of: stored.entity),
          day: stored.day == Fold.Row.noDay ? nil : Day(number: stored.day), from: from)
      }
      drafts += try events(changes[row] ?? [])
      for (change, from) in datedChanges[row] ?? [] { drafts += try events([change], from: from) }
    }
    return drafts
  }

  private func id(of entity: Int32) -> EntityID {
    EntityID(fold.entityNames.text(Int(entity)))!
  }

  // MARK: - Later writes

  /// Whether an event was added after the undone events.
  private func isSince(_ dot: Dot) -> Bool { !after.hasSeen(ledger.fullID(dot.point)) }

  /// Whether an event of another device was added after the undone events.
  private func isOthersSince(_ dot: Dot) -> Bool {
    guard isSince(dot), let own = points.lazy.compactMap(\.self).first else { return false }
    return ledger.fullID(dot.point).device != ledger.fullID(own).device
  }

  private mutating func leave(
    _ row: Int32, _ field: String, _ dot: Dot?, _ value: JSONValue?
  ) {
    guard let dot else { return }
    let write = UnseenWrite(
      entity: fold.rowText(of: row), field: field, event: dot.id(ledger), value: value)
    if !left.contains(write) { left.append(write) }
  }

  // MARK: - Entities

  private mutating func undoPresence(of entity: Int32) {
    let name = id(of: entity)
    let row = fold.entities[Int(entity)].row
    let (was, became, isNow) = (before.isShown(name), after.isShown(name), now.isShown(name))
    let deletions = fold.presences.liveDeletions(entity).map(\.dot)
    if became, !isNow {
      untouched.insert(entity)
      // If it wasn't shown before either, the undo has nothing to do.
      if was { leave(row, "presence", deletions.first(where: isSince), "deleted") }
    } else if !became, !isNow {
      if !was {
        if before.knows(name) { hidden.insert(entity) } else { untouched.insert(entity) }
        return
      }
      if let deletion = deletions.first(where: isOthersSince) {
        untouched.insert(entity)
        return leave(row, "presence", deletion, "deleted")
      }
      restored.append(entity)
    } else if became, !was {
      let touches = fold.presences.liveTouches(entity)
      let isSame = after.content(of: name) == now.content(of: name)
      if let touch = touches.first(where: { isSame ? isOthersSince($0.dot) : isSince($0.dot) }) {
        untouched.insert(entity)
        return leave(
          row, "presence", touch.dot, .string(fold.typeNames.text(Int(touch.type))))
      }
      if !isSame, let write = importSince(on: entity) {
        untouched.insert(entity)
        return leave(row, "presence", write, nil)
      }
      // A created entity is hidden with its fields, for a redo.
      if !before.knows(name) { untouched.insert(entity) }
      deleted.append(entity)
    }
  }

  /// A live write of an import to an entity or its days that was added after the undone events, or
  /// nil. Imports leave no touches.
  private func importSince(on entity: Int32) -> Dot? {
    for row in [fold.entities[Int(entity)].row] + fold.dayRows(of: entity) {
      let cells = fold.cells(of: row)
      let dots =
        cells.registers.flatMap { fold.registers.liveValues($0.index).map(\.dot) }
        + cells.counters.flatMap { fold.counters.liveSets($0.index).map(\.dot) }
      if let found = dots.first(where: { ledger.isSource($0.branch) && isSince($0) }) {
        return found
      }
    }
    return nil
  }

  // MARK: - Fields

  private mutating func collect(_ write: UndoneWrites.Write) {
    if write.entity >= 0, untouched.contains(write.entity) { return }
    let key = FieldKey(row: write.row, field: write.field)
    let dot = Dot(branch: write.point.branch, sequence: write.point.sequence, at: 0)
    switch write.action {
    case .presence: break
    case .register:
      if done.insert(key).inserted { undoRegister(at: key) }
    case .total(let value):
      counts[key] = Count(total: (value, dot))
    case .increment(let amount):
      counts[key, default: Count()].increments.append((amount, dot))
    case .members(let texts):
      members[key, default: []] += texts
    }
  }

  /// Records a row before its first change.
  private mutating func noteChange(of row: Int32) {
    if changes[row] == nil, datedChanges[row] == nil { rows.append(row) }
  }

  private mutating func add(_ change: FieldChange, to row: Int32) {
    noteChange(of: row)
    changes[row, default: []].append(change)
  }

  private mutating func undoRegister(at key: FieldKey) {
    let cell = fold.findRegister(key.row, key.field)
    guard cell >= 0 else { return }
    let name = fold.fieldText(key.field)
    let location = fold.rowText(of: key.row)
    func value(_ live: Registers.LiveValue) -> JSONValue {
      JSONValue(canonical: fold.registers.bytes(live))
    }
    let (old, new) = (before.value(of: name, in: location), after.value(of: name, in: location))
    let live = fold.registers.liveValues(Int(cell))
    if [before, after, now].contains(where: { $0.timeline(of: name, in: location).steps.count > 1 })
    {
      return undoDated(name, location, live, at: key)
    }
    if live.allSatisfy({ value($0) == old }) { return }
    if let later = live.first(where: { isOthersSince($0.dot) || value($0) != new }) {
      return leave(key.row, name, later.dot, value(later))
    }
    add(.write(field: name, old), to: key.row)
  }

  /// Writes again what applied before, from the first day on for which that differs.
  private mutating func undoDated(
    _ name: String, _ location: String, _ live: [Registers.LiveValue], at key: FieldKey
  ) {
    let (old, new, current) = (
      before.timeline(of: name, in: location), after.timeline(of: name, in: location),
      now.timeline(of: name, in: location)
    )
    let steps = old.steps(unlike: current)
    if steps.isEmpty { return }
    let isChanged = !new.steps(unlike: current).isEmpty
    let later = live.first { isOthersSince($0.dot) } ?? live.first { isChanged && isSince($0.dot) }
    if later != nil || isChanged {
      let shown = later ?? fold.registers.shown(Int(fold.findRegister(key.row, key.field)), ledger)
      let value = JSONValue(canonical: fold.registers.bytes(shown))
      return leave(key.row, name, shown.dot, value)
    }
    noteChange(of: key.row)
    datedChanges[key.row, default: []] += steps.map {
      (.write(field: name, $0.value), $0.from)
    }
  }

  private mutating func undo(_ count: Count, at key: FieldKey) {
    guard let cell = fold.findCounter(key.row, key.field) else { return }
    let name = fold.fieldText(key.field)
    let location = fold.rowText(of: key.row)
    let sets = fold.counters.keptSets(Int(cell))
    // An import's total isn't a later decision of a person.
    let live = sets.filter { $0.source < 0 }.map(\.dot)
    let shown = now.total(of: name, in: location)
    let old = before.total(of: name, in: location)
    var change = CounterSum.zero
    var rest = old
    if let later = live.first(where: isSince) {
      // A later total stays, unless it was undone, so that the shown total is the same again.
      let new = after.total(of: name, in: location)
      guard shown == new, !live.contains(where: isOthersSince) else {
        return leave(key.row, name, later, shown.json ?? .null)
      }
      change = CounterSum(old.amount ?? .zero) - CounterSum(new.amount ?? .zero)
    } else {
      if let total = count.total {
        guard live.contains(where: { $0.point == total.dot.point }) else { return }
        change = CounterSum(old.amount ?? .zero) - (total.value == .null ? .zero : total.value)
      }
      let counted = count.increments.filter { increment in
        !live.contains { ledger.hasSeen($0.point, increment.dot.point) }
      }
      for increment in counted { change -= increment.amount }
      rest = fold.counters.shown(Int(cell), without: counted, count.total?.dot, ledger)
    }
    guard let change = change.amount, shown != .unreadable, old != .unreadable else { return }
    if sets.count > live.count, Amount.totals.contains(rest.amount ?? .zero) {
      // An increment would change the totals of imports, too.
      if rest != shown, rest != .unreadable { add(.set(field: name, rest.amount), to: key.row) }
      return
    }
    let isAssigned = fold.counters.isAssigned(Int(cell), ledger)
    let result = (shown.amount ?? .zero) + change
    if isAssigned != (old != .none), result == .zero, !sets.isEmpty {
      // Nothing else counts, and an increment can't tell no value from 0.
      add(.set(field: name, old.amount), to: key.row)
    } else if change != .zero {
      add(.advance(field: name, change), to: key.row)
    }
  }

  private mutating func undo(_ texts: [String], at key: FieldKey) {
    guard let cell = fold.findSet(key.row, key.field) else { return }
    let name = fold.fieldText(key.field)
    let location = fold.rowText(of: key.row)
    let (old, new) = (
      Set(before.members(of: name, in: location).map { Array($0.utf8) }),
      Set(after.members(of: name, in: location).map { Array($0.utf8) })
    )
    var (included, excluded): ([String], [String]) = ([], [])
    for bytes in Set(texts.map { Array($0.utf8) }).sorted(by: { $0.lexicographicallyPrecedes($1) })
    where old.contains(bytes) != new.contains(bytes) {
      let text = String(decoding: bytes, as: UTF8.self)
      let inclusions = fold.sets.inclusions(of: text, in: Int(cell))
      if inclusions.isEmpty, old.contains(bytes) { included.append(text) }
      if inclusions.isEmpty || old.contains(bytes) { continue }
      if let later = inclusions.first(where: isOthersSince) {
        leave(key.row, name, later, .string(text))
      } else {
        excluded.append(text)
      }
    }
    if !included.isEmpty { add(.include(field: name, included), to: key.row) }
    if !excluded.isEmpty { add(.exclude(field: name, excluded), to: key.row) }
  }
}

extension Snapshot {
  /// Whether an entity exists, deleted or not.
  fileprivate func knows(_ entity: EntityID) -> Bool {
    fold.entityNames.find(entity.description).map { fold.entities[$0].row >= 0 } ?? false
  }

  /// Whether an entity exists and is not deleted.
  fileprivate func isShown(_ entity: EntityID) -> Bool {
    guard let index = fold.entityNames.find(entity.description) else { return false }
    return fold.entities[index].row >= 0 && !fold.presences.isHidden(Int32(index))
  }

  /// The values of an entity and its days, without empty ones.
  fileprivate func content(of entity: EntityID) -> [String: JSONValue] {
    let blank: [JSONValue] = [.null, 0, .array([])]
    var content: [String: JSONValue] = [:]
    guard let shown = self.entity(entity) else { return content }
    func add(_ fields: [ProjectedField], _ day: String) {
      for field in fields {
        if let value = field.shown, !blank.contains(value) {
          content["\(day)#\(field.name)"] = value
        }
      }
    }
    add(shown.fields, "")
    for day in shown.days { add(day.fields, "@\(day.day)") }
    return content
  }
}
