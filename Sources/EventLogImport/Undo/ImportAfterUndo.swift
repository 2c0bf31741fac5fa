import EventLog
import EventLogUndo

/// The statements that an import may make after earlier imports of its source were undone.
///
/// Its next line has seen the mark of the undo, and so all that the mark's device had written
/// before. It would replace those edits in silence. So it says nothing of fields that people have
/// written.
struct ImportAfterUndo {
  /// Sentences about fields that are left to people.
  private(set) var remarks: [String] = []
  /// The entities that the undo had deleted, and that this import restores.
  private(set) var restored: [EntityID] = []
  private let state: Snapshot
  private let said: SaidValues
  private let undoEvents: LeftOutWrites

  init(_ state: Snapshot, _ said: SaidValues) {
    (self.state, self.said) = (state, said)
    undoEvents = said.marks.undoEvents()
  }

  private var fold: Fold { state.fold }
  private var ledger: Ledger { state.ledger }

  /// Returns the statements about fields that no person has written, and statements that take back
  /// the undone values of entities that are restored.
  mutating func allowed(_ statements: [Statement]) -> [Statement] {
    var allowed: [Statement] = []
    for statement in statements {
      guard let shown = personsValue(statement) else {
        var statement = statement
        // A copy that hadn't seen the undo may have stated the same value beside it.
        if isTakenBack(statement) { statement.isForced = true }
        allowed.append(statement)
        continue
      }
      if statement.value.isNothing || statement.value.json == shown { continue }
      remarks.append(
        "\(statement.location): \"\(statement.field)\" was left, because a person has written it:"
          + " here, it is \(shown.text.shortened), and in the source"
          + " \(statement.value.json.text.shortened).")
    }
    // An undo has written again what people had written before the import.
    let unstated = (takenBack(by: allowed) + settled(beside: allowed))
      .filter { personsValue($0) == nil }
    return allowed + unstated
  }

  /// Returns statements that end the conflicts of the source with its undo, about fields that this
  /// import doesn't state: a copy that hadn't seen the undo has stated them beside it.
  private func settled(beside statements: [Statement]) -> [Statement] {
    EndedConflicts(state, stated: said.all)
      .statements(beside: statements, isOfSourceAndUndo)
  }

  /// Whether only the source and undos have written the candidates, and an open mark has seen one.
  private func isOfSourceAndUndo(_ conflict: Conflict) -> Bool {
    let devices = said.marks.devices[said.source] ?? []
    let points = conflict.candidates.map { ledger.locate($0.fullID) }
    let isTheirs = zip(conflict.candidates, points).allSatisfy { candidate, point in
      devices.contains(candidate.event.device)
        || point.map { undoEvents.isUndo($0, of: ledger) } ?? false
    }
    return isTheirs && points.contains { $0.map { said.isUnsaid($0, of: ledger) } ?? false }
  }

  /// The events that restore the entities.
  func restorations() throws(EventLogError) -> [EventDraft] {
    var drafts: [EventDraft] = []
    for entity in restored {
      drafts += try state.catalog.events(
        for: [], kind: entity.kind, entity: entity, lifecycle: .restores)
    }
    return drafts
  }

  // MARK: - Fields

  /// Returns the value that is shown of a field that a person has written, or nil if none has.
  private func personsValue(_ statement: Statement) -> JSONValue? {
    guard let row = state.row(of: statement.target),
      let field = state.fieldNumber(statement.field)
    else { return nil }
    if let counter = fold.findCounter(row, field).map({ Int($0) }) {
      let candidates = fold.counters.candidates(counter)
      let isPersons = fold.counters.keptSets(counter).contains { set in
        if ledger.isSource(set.dot.branch) { return false }
        let isNothing = candidates.contains { $0.dot.point == set.dot.point && $0.total == .none }
        return !(isNothing && undoEvents.isUndo(set.dot.point, of: ledger))
      }
      return isPersons ? fold.counters.shown(counter, ledger).json ?? .null : nil
    }
    let register = fold.findRegister(row, field)
    if register < 0 { return nil }
    let isPersons = fold.registers.liveValues(Int(register)).contains { live in
      if ledger.isSource(live.dot.branch) { return false }
      let value = JSONValue(canonical: fold.registers.bytes(live))
      // An undo writes the values before the import: other ones are a person's.
      return !((value == .null || value == false) && undoEvents.isUndo(live.dot.point, of: ledger))
    }
    return isPersons
      ? JSONValue(
        canonical: fold.registers.bytes(fold.registers.shown(Int(register), ledger))) : nil
  }

  private func isOfSource(_ dot: Dot) -> Bool {
    ledger.isSource(dot.branch)
      && said.marks.devices[said.source]?.contains(ledger.device(of: Int(dot.branch))) ?? false
  }

  /// Whether a live write of the register or counter is one that counts as not said, or takes back
  /// what the source has said.
  private func isTakenBack(_ statement: Statement) -> Bool {
    guard let row = state.row(of: statement.target),
      let field = state.fieldNumber(statement.field)
    else { return false }
    var dots: [Dot] = []
    if case .count = statement.value, let counter = fold.findCounter(row, field) {
      dots = fold.counters.keptSets(Int(counter)).map(\.dot).filter(isOfSource)
    } else if case .write = statement.value {
      let register = fold.findRegister(row, field)
      if register < 0 { return false }
      dots = fold.registers.liveValues(Int(register)).map(\.dot)
        .filter { isOfSource($0) || undoEvents.isUndo($0.point, of: ledger) }
    }
    return dots.contains { said.isUnsaid($0.point, of: ledger) }
  }

  // MARK: - Entities

  /// Finds the entities to restore, and what the source had said about them and doesn't say now.
  private mutating func takenBack(by statements: [Statement]) -> [Statement] {
    var known: Set<EntityID> = []
    for entity in statements.compactMap(\.target.entity) where known.insert(entity).inserted {
      if isDeletedByUndo(entity) { restored.append(entity) }
    }
    if restored.isEmpty { return [] }
    let entities = Set(restored)
    var stated: Set<StatedField> = []
    for statement in statements where statement.target.entity.map(entities.contains) ?? false {
      stated.insert(StatedField(statement.target, statement.field))
    }
    var taken: [Statement] = []
    for entity in restored {
      guard let before = self.said.before?.entity(entity) else { continue }
      var rows: [(day: Day?, fields: [ProjectedField])] = [(nil, before.fields)]
      for day in before.days { rows.append((day.day, day.fields)) }
      for (day, fields) in rows {
        let target = Statement.Target(kind: entity.kind, entity: entity, day: day, key: "")
        for field in fields
        where field.shown != nil && !stated.contains(StatedField(target, field.name)) {
          taken.append(taking(field, target))
        }
      }
    }
    return taken
  }

  private func taking(_ field: ProjectedField, _ target: Statement.Target) -> Statement {
    let value: Statement.Value =
      switch field.value {
      case .json: .write(.null)
      case .count: .count(nil)
      case .members(let members): .members(members)
      }
    var statement = Statement(.init(target, .key(field.name)), .init(field.name), value)
    statement.isForced = true
    return statement
  }

  /// Whether an entity is hidden, and only undos of this source have deleted it.
  private func isDeletedByUndo(_ entity: EntityID) -> Bool {
    guard let index = fold.entityNames.find(entity.description).map({ Int32($0) }),
      fold.presences.isHidden(index)
    else { return false }
    return fold.presences.liveDeletions(index).allSatisfy {
      undoEvents.isUndo($0.dot.point, of: ledger)
    }
  }
}
