import EventLog

/// The values that imports have stated.
struct StatedValues {
  private let state: Snapshot?

  /// - Parameter state: The state of the imports, or nil if there are none.
  init(_ state: Snapshot?) { self.state = state }

  /// The value of a field.
  struct Field {
    var value: ProjectedField.Value
    var isContested = false
  }

  func exists(_ id: EntityID) -> Bool { index(of: id) != nil }

  /// The last day of an entity for which a value was stated.
  func lastDay(of id: EntityID) -> Day? { state?.entity(id)?.days.last?.day }

  /// Returns the value of a field, or nil if none was stated.
  ///
  /// - Complexity: O(1) apart from the value. An entity may have a field or a day for each row.
  func field(_ name: String, of target: Statement.Target) -> Field? {
    guard let state, let row = row(of: target), let field = state.fieldNumber(name) else {
      return nil
    }
    if let set = state.fold.findSet(row, field) {
      return Field(value: .members(state.fold.sets.members(Int(set))))
    }
    let register = Int(state.fold.findRegister(row, field))
    if register >= 0 {
      return Field(
        value: .json(state.fold.shownJSON(register, state.ledger)),
        isContested: state.fold.registers.isContested(register))
    }
    guard let counter = state.fold.findCounter(row, field).map({ Int($0) }) else { return nil }
    return Field(
      value: .count(state.fold.counters.shown(counter, state.ledger).amount?.number),
      isContested: state.fold.counters.isContested(counter))
  }

  private func row(of target: Statement.Target) -> Int32? {
    guard let id = target.entity else {
      return state?.catalog.collections.firstIndex { $0.kind == target.kind }.map { Int32($0) }
    }
    guard let state, let entity = index(of: id) else { return nil }
    guard let day = target.day else { return state.fold.entities[entity].row }
    let row = state.fold.dayRow(of: Int32(entity), day.number)
    return row < 0 ? nil : row
  }

  private func index(of id: EntityID) -> Int? {
    guard let fold = state?.fold, let index = fold.entityNames.find(id.description),
      fold.entities[index].row >= 0
    else { return nil }
    return index
  }

  /// The values of a dated field, without an absent one at the beginning.
  func timeline(of field: String, _ target: Statement.Target) -> [Timeline.Step] {
    let place = target.entity?.description ?? target.kind
    let steps = state?.timeline(of: field, in: place).steps ?? []
    return steps.filter { $0.from != nil || $0.value != .null }
  }
}
