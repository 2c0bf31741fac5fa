/// Finds the events that undo others, by three states: before them, after them, and now.
///
/// What shows now as it did after them goes back to what it was before. What shows otherwise was
/// written since, and stays. So does what another device has written since, though it be the same;
/// the own device's further events count only if they show: a chain of undos goes all the way back.
struct Undo {
  /// A field of a row.
  private struct Place: Hashable, Comparable {
    var row: Int32
    var field: Int32

    static func < (one: Place, other: Place) -> Bool {
      (one.row, one.field) < (other.row, other.field)
    }
  }

  /// What the undone events did to one counter.
  private struct Count {
    var total: (value: Int64, dot: Dot)?
    var increments: [(amount: Int64, dot: Dot)] = []
  }

  /// What stays, because somebody has written it since.
  private(set) var left: [UnseenWrite] = []

  private let before: Snapshot
  private let after: Snapshot
  private let now: Snapshot
  private let drafts: [EventDraft]
  /// The undone events, in the journal as it is.
  private let points: [Ledger.Point?]
  /// The rows in which something changes, in the order in which they were written.
  private var rows: [Int32] = []
  private var changes: [Int32: [FieldChange]] = [:]
  private var done: Set<Place> = []
  private var counts: [Place: Count] = [:]
  private var members: [Place: [String]] = [:]
  /// Entities that are restored before their fields change, and those that are deleted after.
  private var restored: [Int32] = []
  private var deleted: [Int32] = []
  /// Entities that are deleted, and stay so: they are there only while a field changes.
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

  /// The events, in the order in which they have to be appended.
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
    for (place, count) in counts.sorted(by: { $0.key < $1.key }) { undo(count, at: place) }
    for (place, texts) in members.sorted(by: { $0.key < $1.key }) { undo(texts, at: place) }
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
      let place = fold.rows[Int(row)]
      drafts += try fold.catalog.events(
        for: changes[row] ?? [],
        kind: fold.catalog.collections[fold.collection(ofRow: row)].kind,
        entity: place.entity < 0 ? nil : id(of: place.entity),
        day: place.day == Fold.Row.noDay ? nil : Day(number: place.day))
    }
    return drafts
  }

  private func id(of entity: Int32) -> EntityID {
    EntityID(fold.entityNames.text(Int(entity)))!
  }

  // MARK: - Since

  /// Whether an event came after those that are undone, and is none of them.
  private func isSince(_ dot: Dot) -> Bool { !after.hasSeen(ledger.fullID(dot.point)) }

  /// Whether another device wrote it since.
  private func isOthersSince(_ dot: Dot) -> Bool {
    guard isSince(dot), let own = points.lazy.compactMap(\.self).first else { return false }
    return ledger.fullID(dot.point).device != ledger.fullID(own).device
  }

  private mutating func leave(
    _ row: Int32, _ field: String, _ dot: Dot?, _ value: JSONValue?
  ) {
    guard let dot else { return }
    let write = UnseenWrite(
      entity: fold.placeText(ofRow: row), field: field, event: dot.id(ledger), value: value)
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
      // Where it was not there before either, that is what an undo would come to.
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
      // What was created is hidden as it is, for a redo.
      if !before.knows(name) { untouched.insert(entity) }
      deleted.append(entity)
    }
  }

  // MARK: - Fields

  private mutating func collect(_ write: UndoneWrites.Write) {
    if write.entity >= 0, untouched.contains(write.entity) { return }
    let place = Place(row: write.row, field: write.field)
    let dot = Dot(branch: write.point.branch, sequence: write.point.sequence, at: 0)
    switch write.action {
    case .presence: break
    case .register:
      if done.insert(place).inserted { undoRegister(at: place) }
    case .total(let value):
      counts[place] = Count(total: (value, dot))
    case .increment(let amount):
      counts[place, default: Count()].increments.append((amount, dot))
    case .members(let texts):
      members[place, default: []] += texts
    }
  }

  private mutating func add(_ change: FieldChange, to row: Int32) {
    if changes[row] == nil { rows.append(row) }
    changes[row, default: []].append(change)
  }

  private mutating func undoRegister(at place: Place) {
    let cell = fold.findRegister(place.row, place.field)
    guard cell >= 0 else { return }
    let name = fold.fieldText(place.field)
    let location = fold.placeText(ofRow: place.row)
    func value(_ live: Registers.LiveValue) -> JSONValue {
      JSONValue(canonical: fold.registers.bytes(live))
    }
    let (old, new) = (before.value(of: name, in: location), after.value(of: name, in: location))
    let live = fold.registers.liveValues(Int(cell))
    if live.allSatisfy({ value($0) == old }) { return }
    if let later = live.first(where: { isOthersSince($0.dot) || value($0) != new }) {
      return leave(place.row, name, later.dot, value(later))
    }
    add(.write(field: name, old), to: place.row)
  }

  private mutating func undo(_ count: Count, at place: Place) {
    guard let cell = fold.findCounter(place.row, place.field) else { return }
    let name = fold.fieldText(place.field)
    let location = fold.placeText(ofRow: place.row)
    let live = fold.counters.liveSets(Int(cell)).map(\.dot)
    let old = before.count(of: name, in: location)
    var change: Int64 = 0
    if let later = live.first(where: isSince) {
      // A total that was set since counts; one that was undone again does not show.
      let (new, shown) = (
        after.count(of: name, in: location), now.count(of: name, in: location)
      )
      guard shown == new, !live.contains(where: isOthersSince) else {
        return leave(place.row, name, later, .number(JSONNumber(shown)))
      }
      change = old - new
    } else {
      if let total = count.total {
        guard live.contains(where: { $0.point == total.dot.point }) else { return }
        change = old - total.value
      }
      for increment in count.increments {
        let isAbsorbed = live.contains { ledger.hasSeen($0.point, increment.dot.point) }
        if !isAbsorbed { change -= increment.amount }
      }
    }
    if change != 0 { add(.advance(field: name, change), to: place.row) }
  }

  private mutating func undo(_ texts: [String], at place: Place) {
    guard let cell = fold.findSet(place.row, place.field) else { return }
    let name = fold.fieldText(place.field)
    let location = fold.placeText(ofRow: place.row)
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
        leave(place.row, name, later, .string(text))
      } else {
        excluded.append(text)
      }
    }
    if !included.isEmpty { add(.include(field: name, included), to: place.row) }
    if !excluded.isEmpty { add(.exclude(field: name, excluded), to: place.row) }
  }
}

extension Snapshot {
  private func shown(_ field: String, in location: String) -> JSONValue? {
    row(at: location).flatMap { shown(field, row: $0) }
  }

  /// What a register shows there; `null` where nothing does.
  fileprivate func value(of field: String, in location: String) -> JSONValue {
    shown(field, in: location) ?? .null
  }

  /// What a counter shows there.
  fileprivate func count(of field: String, in location: String) -> Int64 {
    guard case .number(let number)? = shown(field, in: location) else { return 0 }
    return number.integer ?? 0
  }

  fileprivate func members(of field: String, in location: String) -> [String] {
    guard case .array(let values)? = shown(field, in: location) else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Whether an entity is there, deleted or not.
  fileprivate func knows(_ entity: EntityID) -> Bool {
    fold.entityNames.find(entity.description).map { fold.entities[$0].row >= 0 } ?? false
  }

  /// Whether an entity is there and not deleted.
  fileprivate func isShown(_ entity: EntityID) -> Bool {
    guard let index = fold.entityNames.find(entity.description) else { return false }
    return fold.entities[index].row >= 0 && !fold.presences.isHidden(Int32(index))
  }

  /// All that an entity and its days show: a field that shows nothing is none.
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
