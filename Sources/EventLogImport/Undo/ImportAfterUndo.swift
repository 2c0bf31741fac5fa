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
  /// The entities that undos had deleted, and that this import restores.
  private(set) var restored: [EntityID] = []
  /// The marks of these undos.
  private(set) var ended: [SourceMarks.Mark] = []
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
        if isTakenBack(statement), !isUnset(statement) { statement.isForced = true }
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
    return liveWrites(of: statement).contains { dot in
      if case .count = statement.value, !isOfSource(dot) { return false }
      guard isOfSource(dot) || undoEvents.isUndo(dot.point, of: ledger) else { return false }
      return said.isUnsaid(dot.point, of: ledger)
    }
  }

  /// Whether a statement is that a register has no value, and that is its only live value.
  private func isUnset(_ statement: Statement) -> Bool {
    guard case .write(.null) = statement.value, let row = state.row(of: statement.target),
      let field = state.fieldNumber(statement.field)
    else { return false }
    let register = fold.findRegister(row, field)
    return register >= 0
      && fold.registers.liveValues(Int(register)).allSatisfy {
        JSONValue(canonical: fold.registers.bytes($0)) == .null
      }
  }

  /// The live writes of a register or a counter; none of a set.
  private func liveWrites(of statement: Statement) -> [Dot] {
    guard let row = state.row(of: statement.target),
      let field = state.fieldNumber(statement.field)
    else { return [] }
    switch statement.value {
    case .count:
      return fold.findCounter(row, field)
        .map { fold.counters.keptSets(Int($0)).map(\.dot) } ?? []
    case .write:
      let register = fold.findRegister(row, field)
      return register < 0 ? [] : fold.registers.liveValues(Int(register)).map(\.dot)
    case .members: return []
    }
  }

  // MARK: - Entities

  /// Finds the entities to restore, and what the source had said about them and doesn't say now.
  private mutating func takenBack(by statements: [Statement]) -> [Statement] {
    var known: Set<EntityID> = []
    for entity in statements.compactMap(\.target.entity) where known.insert(entity).inserted {
      guard let marks = said.marks.marks(deleting: entity, in: state, undoEvents) else { continue }
      restored.append(entity)
      ended += marks
    }
    return undone(of: restored, beside: statements)
  }

  /// Returns events that take back the statements of undone imports of the source about entities
  /// that an import of another source restores.
  ///
  /// They don't create an entity, because the other source began it.
  ///
  /// - Parameter statements: The statements of that import.
  func takenBack(
    restoring entities: [EntityID], beside statements: [Statement]
  ) throws(EventLogError) -> [EventDraft] {
    var restated: Set<StatedField> = []
    for entity in entities {
      for (field, target) in Self.shownFields(of: entity, in: said.all) {
        restated.insert(StatedField(target, field.name))
      }
    }
    let taken = undone(of: entities, beside: statements).filter { statement in
      if restated.contains(StatedField(statement.target, statement.field)) { return false }
      guard personsValue(statement) == nil else { return false }
      if case .members = statement.value { return true }
      return liveWrites(of: statement).contains {
        isOfSource($0) && said.isUnsaid($0.point, of: ledger)
      }
    }
    var drafts: [EventDraft] = []
    for statement in taken {
      let target = statement.target
      drafts += try state.catalog.events(
        for: [SourceEvents.clearing(statement)], kind: target.kind, entity: target.entity,
        day: target.day)
    }
    return drafts
  }

  /// Returns statements that take back the values of the source from before its undos, unless
  /// other statements are about the same fields now.
  private func undone(of entities: [EntityID], beside statements: [Statement]) -> [Statement] {
    if entities.isEmpty { return [] }
    let known = Set(entities)
    var stated: Set<StatedField> = []
    for statement in statements
    where !statement.value.isNothing && statement.target.entity.map(known.contains) ?? false {
      stated.insert(StatedField(statement.target, statement.field))
    }
    return entities.flatMap { Self.shownFields(of: $0, in: said.before) }
      .filter { !stated.contains(StatedField($1, $0.name)) }
      .map { taking($0, $1) }
  }

  private static func shownFields(
    of entity: EntityID, in state: Snapshot?
  ) -> [(field: ProjectedField, target: Statement.Target)] {
    guard let entity = state?.entity(entity) else { return [] }
    var rows: [(day: Day?, fields: [ProjectedField])] = [(nil, entity.fields)]
    for day in entity.days { rows.append((day.day, day.fields)) }
    return rows.flatMap { day, fields in
      let target = Statement.Target(kind: entity.id.kind, entity: entity.id, day: day, key: "")
      return fields.filter { $0.shown != nil }.map { ($0, target) }
    }
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
}
