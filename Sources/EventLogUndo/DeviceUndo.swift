import EventLog

/// Finds the events that remove the writes of some devices from a state, or add them again.
///
/// Later writes of other devices stay: an entity that others also wrote to is kept, with all of its
/// values or only with those of others (``LeftOutWrites/dividesKept``), and so is a register that
/// shows a value of others. The events of earlier undos are left out, too: they copy the writes of
/// others, and no user has chosen their values.
struct DeviceUndo {
  private(set) var result: DeviceUndoReport
  private var drafts: [EventDraft] = []

  private let fold: Fold
  private let ledger: Ledger
  @Boxed private var rest: StateWithout
  /// For each branch, whether its device is left out.
  private let isLeftOut: [Bool]

  init(in fold: Fold, _ ledger: Ledger, leaving rest: StateWithout) {
    (self.fold, self.ledger, self.rest) = (fold, ledger, rest)
    result = DeviceUndoReport(wasHidden: rest.writes.isRepeated)
    isLeftOut = ledger.branches.indices.map {
      rest.writes.devices.contains(ledger.device(of: $0))
    }
  }

  /// Whether a left-out device or an undo has written the event.
  private func isTheirs(_ dot: Dot) -> Bool {
    isLeftOut[Int(dot.branch)] || rest.writes.isUndo(dot.point, of: ledger)
  }

  /// Returns the events to append, in order.
  mutating func events() -> [EventDraft] {
    for (index, collection) in fold.catalog.collections.enumerated() {
      if collection.isSingleton {
        undoFields(row: Int32(index), rest: Int32(index), entity: nil)
        continue
      }
      for entity in fold.sortedByName(fold.entities(of: index)) { undo(entity) }
    }
    return drafts
  }

  // MARK: - Entities

  private mutating func undo(_ entity: Int32) {
    let id = EntityID(fold.entityNames.text(Int(entity)))!
    let isShown = !fold.presences.isHidden(entity)
    let other = restIndex(of: entity)
    let wasShown = other.map { !rest.fold.presences.isHidden($0) } ?? false
    let name = fold.entityNames.bytes(Int(entity)).copied
    if rest.begun.contains(name) {
      guard isShown, rest.begunByAdded.contains(name) else { return }
      let isKept =
        rest.worked.contains(name)
        || rest.imported.contains(name) && (other.map { rest.fold.showsFields(of: $0) } ?? false)
      guard isKept else { return change(presenceOf: id, to: .deletes) }
      result.kept.append(id)
      if rest.writes.dividesKept, let other { undoAllFields(of: entity, rest: other, id) }
      return
    }
    if isShown, !wasShown {
      // A device that wrote after a left-out restoration has chosen to keep the entity.
      if other != nil, hasLaterTouch(entity) { return result.kept.append(id) }
      return change(presenceOf: id, to: .deletes)
    }
    guard wasShown, let other else { return }
    // Ends left-out deletions and presence conflicts with a left-out candidate.
    let isContested =
      fold.presences.isContested(entity)
      && (fold.presences.contesting(entity, ledger) + fold.presences.liveDeletions(entity))
        .contains { isTheirs($0.dot) }
    if !isShown {
      change(presenceOf: id, to: .restores)
    } else if isContested {
      settle(presenceOf: id)
    }
    undoAllFields(of: entity, rest: other, id)
  }

  /// Undoes the fields of an entity and of its days.
  ///
  /// - Parameter other: The entity's number in the state without the devices.
  private mutating func undoAllFields(of entity: Int32, rest other: Int32, _ id: EntityID) {
    undoFields(
      row: fold.entities[Int(entity)].row, rest: rest.fold.entities[Int(other)].row, entity: id)
    for row in fold.dayRows(of: entity) {
      let day = fold.rows[Int(row)].day
      undoFields(
        row: row, rest: rest.fold.dayRow(of: other, day), entity: id, day: Day(number: day))
    }
  }

  /// The entity's number in the state without the devices, or nil if it has no valid event there.
  private func restIndex(of entity: Int32) -> Int32? {
    rest.fold.entityNames.find(fold.entityNames.text(Int(entity))).map { Int32($0) }
      .flatMap { rest.fold.entities[Int($0)].row >= 0 ? $0 : nil }
  }

  /// Whether another device has written to an entity after a left-out event.
  private func hasLaterTouch(_ entity: Int32) -> Bool {
    let touches = fold.presences.liveTouches(entity)
    let theirs = touches.filter { isTheirs($0.dot) }
    return touches.contains { touch in
      !isTheirs(touch.dot)
        && theirs.contains { ledger.hasSeen(touch.dot.point, $0.dot.point) }
    }
  }

  /// Resolves the presence conflict of an entity that stays visible.
  private mutating func settle(presenceOf entity: EntityID) {
    guard
      let events = try? fold.catalog.events(
        for: [], kind: entity.kind, entity: entity, lifecycle: .restores)
    else { return result.left.append("\(entity)#presence") }
    drafts += events
    result.resolved.append("\(entity)#presence")
  }

  private mutating func change(
    presenceOf entity: EntityID, to lifecycle: EventSchema.Lifecycle
  ) {
    guard
      let events = try? fold.catalog.events(
        for: [], kind: entity.kind, entity: entity, lifecycle: lifecycle)
    else { return result.left.append("\(entity)#presence") }
    drafts += events
    let isDeletion = lifecycle == .deletes
    result.changes.append(
      .init(
        place: entity.description, field: "presence", old: isDeletion ? "shown" : "deleted",
        new: isDeletion ? "deleted" : "shown"))
  }

  // MARK: - Fields

  /// An entity, a day or a singleton whose fields are undone.
  private struct Target {
    var row: Int32
    /// The row in the state without the devices, or a negative number if there is none.
    var other: Int32
    var entity: EntityID?
    var day: Day?
    /// The name that a ``DeviceUndoReport/Change`` uses.
    var text: String
  }

  private mutating func undoFields(
    row: Int32, rest other: Int32, entity: EntityID?, day: Day? = nil
  ) {
    let target = Target(
      row: row, other: other, entity: entity, day: day, text: fold.rowText(of: row))
    var found: [FieldChange] = []
    var dated: [(change: FieldChange, from: Day?)] = []
    let noted = result.changes.count
    let cells = fold.cells(of: row)
    for (cell, field) in cells.sets {
      found += undoSet(cell, field, target)
    }
    for (cell, field) in cells.registers
    where fold.findSet(row, field) == nil {
      noteKept(cell, field, target)
      if let steps = undoDated(cell, field, target) {
        dated += steps
      } else if let change = undoRegister(cell, field, target) {
        found.append(change)
      }
    }
    for (cell, field) in cells.counters {
      if let change = undoCounter(cell, field, target) { found.append(change) }
    }
    found.sort { $0.field.precedes($1.field) }
    if !found.isEmpty { write(found, target) }
    for (change, from) in dated { write([change], from: from, target) }
    result.changes[noted...].sort { $0.field.precedes($1.field) }
  }

  /// Adds the events for the changes to one row.
  ///
  /// Changes that no event can make are reported in ``DeviceUndoReport/left``.
  private mutating func write(_ found: [FieldChange], from: Day? = nil, _ target: Target) {
    if let all = events(for: found, from: from, target) {
      drafts += all
      return
    }
    for change in found {
      if let one = events(for: [change], from: from, target) {
        drafts += one
      } else {
        let field = "\(target.text)#\(change.field)"
        result.left.append(field)
        result.resolved.removeAll { $0 == field }
        result.changes.removeAll { $0.place == target.text && $0.field == change.field }
      }
    }
  }

  /// The events for changes, or nil if no type of the collection can make them.
  private func events(
    for changes: [FieldChange], from: Day? = nil, _ target: Target
  ) -> [EventDraft]? {
    let kind = fold.catalog.collections[fold.collection(ofRow: target.row)].kind
    return try? fold.catalog.events(
      for: changes, kind: kind, entity: target.entity, day: target.day, from: from)
  }

  /// The closest value that events can write: false instead of null, if they can't write null.
  private func closestWritableValue(
    _ value: JSONValue, _ field: Int32, _ target: Target
  ) -> JSONValue {
    func canWrite(_ value: JSONValue) -> Bool {
      events(for: [.write(field: fold.fieldText(field), value)], target) != nil
    }
    return value == .null && !canWrite(.null) && canWrite(false) ? false : value
  }

  private mutating func note(
    _ row: String, _ field: Int32, _ old: JSONValue, _ new: JSONValue
  ) {
    result.changes.append(.init(place: row, field: fold.fieldText(field), old: old, new: new))
  }

  /// A field's number in the state without the devices.
  private func restField(_ field: Int32) -> Int32? {
    rest.fold.fieldNames.find(fold.fieldNames.text(Int(field))).map { Int32($0) }
  }

  /// The register of a field in the state without the devices, or −1.
  private func restRegister(_ field: Int32, _ target: Target) -> Int32 {
    target.other < 0
      ? -1 : restField(field).map { rest.fold.findRegister(target.other, $0) } ?? -1
  }

  private func shownValue(_ cell: Int, in fold: Fold, _ ledger: Ledger) -> JSONValue {
    JSONValue(canonical: fold.registers.bytes(fold.registers.shown(cell, ledger)))
  }

  /// Reports a value of the devices that others have written, too.
  private mutating func noteKept(_ cell: Int, _ field: Int32, _ target: Target) {
    let before = restRegister(field, target)
    guard before >= 0 else { return }
    let value = shownValue(cell, in: fold, ledger)
    guard value != .null, value == shownValue(Int(before), in: rest.fold, rest.ledger),
      rest.isTaken(Int(before), row: target.other, field: restField(field))
    else { return }
    result.keptFields.append("\(target.text)#\(fold.fieldText(field))")
  }

  /// Returns the writes that make a register show what it shows without the devices, or nil if its
  /// values apply from the beginning in both states.
  private mutating func undoDated(
    _ cell: Int, _ field: Int32, _ target: Target
  ) -> [(change: FieldChange, from: Day?)]? {
    let name = fold.fieldText(field)
    let current = fold.timeline(of: field, row: target.row, ledger)
    let old = rest.fold.timeline(
      of: restField(field) ?? -1, row: target.other, rest.ledger)
    guard current.steps.count > 1 || old.steps.count > 1 else { return nil }
    // If no entry of a left-out device remains, others have replaced them.
    guard fold.shownWrites(of: cell).contains(where: isTheirs) else { return [] }
    let steps = old.steps(unlike: current)
    let isContested =
      fold.registers.isContested(cell)
      && fold.registers.liveValues(cell).contains { isTheirs($0.dot) }
    guard let last = steps.last ?? (isContested ? old.steps.last : nil) else { return [] }
    let shown = shownValue(cell, in: fold, ledger)
    if isContested { result.resolved.append("\(target.text)#\(name)") }
    if shown != last.value { note(target.text, field, shown, last.value) }
    return (steps.isEmpty ? [last] : steps).map { (.write(field: name, $0.value), $0.from) }
  }

  private mutating func undoRegister(
    _ cell: Int, _ field: Int32, _ target: Target
  ) -> FieldChange? {
    let (registers, name) = (fold.registers, fold.fieldText(field))
    let value = shownValue(cell, in: fold, ledger)
    let before = restRegister(field, target)
    let was = before < 0 ? .null : shownValue(Int(before), in: rest.fold, rest.ledger)
    let wasContested = before >= 0 && rest.fold.registers.isContested(Int(before))
    // If no left-out value is live, others have replaced them.
    guard registers.liveValues(cell).contains(where: { isTheirs($0.dot) }) else { return nil }
    let old = closestWritableValue(was, field, target)
    // If the right value is shown, only a conflict with a left-out value has to be resolved.
    if value == old, !registers.isContested(cell) { return nil }
    if wasContested || value == old { result.resolved.append("\(target.text)#\(name)") }
    if value != old { note(target.text, field, value, old) }
    return .write(field: name, old)
  }

  private mutating func undoCounter(
    _ cell: Int, _ field: Int32, _ target: Target
  ) -> FieldChange? {
    let value = fold.counters.shown(cell, ledger)
    let before =
      target.other < 0 ? nil : restField(field).flatMap { rest.fold.findCounter(target.other, $0) }
    let old = before.map { rest.fold.counters.shown(Int($0), rest.ledger) } ?? .none
    let wasContested = before.map { rest.fold.counters.isContested(Int($0)) } ?? false
    if value == old {
      let hasTheirs = fold.counters.candidates(cell).contains { isTheirs($0.dot) }
      guard fold.counters.isContested(cell), hasTheirs || !wasContested else { return nil }
    }
    let name = fold.fieldText(field)
    if old == .unreadable {
      result.left.append("\(target.text)#\(name)")
      return nil
    }
    if wasContested || value == old { result.resolved.append("\(target.text)#\(name)") }
    if value != old { note(target.text, field, value.json ?? .null, old.json ?? .null) }
    guard let amount = old.amount, !Amount.totals.contains(amount) else {
      return .set(field: name, old.amount)
    }
    // A total above the maximum of a set is reached by an increment.
    let change = amount - (value.amount ?? .zero)
    return .advance(field: name, max(change, Amount.increments.lowerBound))
  }

  private mutating func undoSet(
    _ cell: Int, _ field: Int32, _ target: Target
  ) -> [FieldChange] {
    let before =
      target.other < 0 ? nil : restField(field).flatMap { rest.fold.findSet(target.other, $0) }
    let (value, old) = (
      fold.sets.members(cell), before.map { rest.fold.sets.members(Int($0)) } ?? []
    )
    // By bytes, because `==` considers some different texts equal.
    let (here, there) = (Set(value.map { Array($0.utf8) }), Set(old.map { Array($0.utf8) }))
    if here == there { return [] }
    note(
      target.text, field, .array(value.map { .string($0) }), .array(old.map { .string($0) }))
    let name = fold.fieldText(field)
    let (added, removed) = (
      value.filter { !there.contains(Array($0.utf8)) },
      old.filter { !here.contains(Array($0.utf8)) }
    )
    return (removed.isEmpty ? [] : [.include(field: name, removed)])
      + (added.isEmpty ? [] : [.exclude(field: name, added)])
  }
}

extension ArraySlice<UInt8> {
  fileprivate var copied: [UInt8] { Array(self) }
}

extension Fold {
  /// Whether an entity or one of its days has a field with a value.
  fileprivate func showsFields(of entity: Int32) -> Bool {
    ([entities[Int(entity)].row] + dayRows(of: entity)).filter { $0 >= 0 }.contains { row in
      let cells = cells(of: row)
      return cells.registers.contains { cell, _ in
        registers.liveValues(cell).contains { JSONValue(canonical: registers.bytes($0)) != .null }
      } || cells.counters.contains { counters.candidates($0.index).contains { $0.total != .none } }
        || cells.sets.contains { !sets.members($0.index).isEmpty }
    }
  }

  /// The rows of an entity's days.
  func dayRows(of entity: Int32) -> [Int32] {
    var found: [Int32] = []
    var row = entities[Int(entity)].firstDay
    while row >= 0 {
      found.append(row)
      row = rows[Int(row)].nextDay
    }
    return found
  }
}
