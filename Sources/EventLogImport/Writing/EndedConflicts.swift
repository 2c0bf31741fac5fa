import EventLog

/// Ends conflicts about fields that an import doesn't state, by stating their values again.
///
/// No later import states what is gone from the export, and no person has written it.
struct EndedConflicts {
  private let state: Snapshot
  /// The values that the source has stated.
  private let stated: StatedValues

  /// - Parameter stated: The state of all imports of the source.
  init(_ state: Snapshot, stated: Snapshot?) {
    self.state = state
    self.stated = StatedValues(stated)
  }

  /// Returns statements about the fields of some conflicts that others don't state.
  func statements(
    beside others: [Statement], _ isEnded: (Conflict) -> Bool
  ) -> [Statement] {
    let conflicts = state.conflicts.filter { $0.kind == .values && isEnded($0) }
    if conflicts.isEmpty { return [] }
    let names = Set(conflicts.map { StatedField(Self.target(of: $0), $0.field) })
    let known = Set(
      others.lazy.map { StatedField($0.target, $0.field) }.filter(names.contains))
    return conflicts.compactMap { conflict in
      let target = Self.target(of: conflict)
      if known.contains(StatedField(target, conflict.field)) { return nil }
      return statement(conflict.field, target)
    }
  }

  private static func target(of conflict: Conflict) -> Statement.Target {
    let (entity, day) = CounterTotals.place(conflict.entity)
    return Statement.Target(
      kind: entity?.kind ?? conflict.entity, entity: entity, day: day, key: "")
  }

  private func statement(_ field: String, _ target: Statement.Target) -> Statement {
    let isCounter =
      state.row(of: target).flatMap { row in
        state.fieldNumber(field).flatMap { state.fold.findCounter(row, $0) }
      } != nil
    var statement = Statement(
      .init(target, .key(field)), .init(field), isCounter ? .count(nil) : .write(.null))
    switch stated.field(field, of: target)?.value {
    case .json(let value)?: statement.value = .write(value)
    case .count(let total?)?: statement.value = .count(Amount(total))
    default: break
    }
    statement.isForced = true
    return statement
  }
}

/// The name of a field of an entity, day or singleton.
struct StatedField: Hashable {
  private var target: Statement.Target
  private var field: String

  init(_ target: Statement.Target, _ field: String) {
    (self.target, self.field) = (target, field)
    // Several keys may be about one singleton.
    self.target.key = ""
  }
}

extension Snapshot {
  /// Returns the row of an entity, day or singleton, or nil if nothing was written to it.
  func row(of target: Statement.Target) -> Int32? {
    guard let entity = target.entity else {
      return fold.catalog.collections.firstIndex { $0.kind == target.kind }.map { Int32($0) }
    }
    guard let index = fold.entityNames.find(entity.description) else { return nil }
    let row =
      target.day.map { fold.dayRow(of: Int32(index), $0.number) } ?? fold.entities[index].row
    return row >= 0 ? row : nil
  }
}
