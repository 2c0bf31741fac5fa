import EventLog
import EventLogUndo

/// The totals that a source states so that counters show what they do without it.
///
/// The total of a source's assignment contains the increments that had seen an earlier one of the
/// source, so the value is what remains of the total without them.
struct CounterTotals {
  private let plan: DeviceUndoReport
  private let state: Snapshot
  private let said: Snapshot
  private let devices: Set<DeviceID>

  /// - Parameters:
  ///   - plan: What an undo would change.
  ///   - said: The state of only the source's events.
  ///   - devices: The devices of the source.
  init(
    _ plan: DeviceUndoReport, state: Snapshot, said: Snapshot, devices: Set<DeviceID>
  ) {
    (self.plan, self.state, self.said, self.devices) = (plan, state, said, devices)
  }

  private var fold: Fold { state.fold }

  func drafts() throws(EventLogError) -> [EventDraft] {
    var drafts: [EventDraft] = []
    for change in plan.changes {
      drafts += try draft(change.place, change.field, showing: change.new)
    }
    for name in plan.resolved {
      guard let mark = name.lastIndex(of: "#") else { continue }
      let (row, field) = (String(name[..<mark]), String(name[name.index(after: mark)...]))
      if plan.changes.contains(where: { $0.place == row && $0.field == field }) { continue }
      guard let counter = counter(row, field) else { continue }
      let shown = fold.counters.shown(counter, state.ledger).json ?? .null
      drafts += try draft(row, field, showing: shown)
    }
    return drafts
  }

  /// Returns the event that makes a counter show a total, or none for another field, or if there is
  /// no such event.
  private func draft(
    _ rowText: String, _ field: String, showing shown: JSONValue
  ) throws(EventLogError) -> [EventDraft] {
    guard let counter = counter(rowText, field),
      let live = fold.counters.candidates(counter).first(where: { candidate in
        devices.contains(state.ledger.device(of: Int(candidate.dot.branch)))
      })
    else { return [] }
    let (entity, day) = Self.place(rowText)
    let kind = entity?.kind ?? rowText
    let assigned = assigned(field, entity, day, kind)
    let seen = (live.total.amount ?? .zero) - (assigned ?? .zero)
    var value: Amount?
    if case .number(let number) = shown, let total = Amount(number) {
      value = total - seen
      if value == .zero, seen != .zero { value = nil }
    }
    if let value, !Amount.totals.contains(value) { return [] }
    var drafts = try state.catalog.events(
      for: [.set(field: field, value)], kind: kind, entity: entity, day: day)
    for index in drafts.indices {
      drafts[index].at = day.flatMap {
        Timestamp(milliseconds: Int64($0.number) * 86_400_000 + 43_200_000)
      }
    }
    return drafts
  }

  /// The value that the source has assigned.
  private func assigned(
    _ field: String, _ entity: EntityID?, _ day: Day?, _ kind: String
  ) -> Amount? {
    var fields = said.singleton(kind)
    if let entity {
      let known = said.entity(entity)
      fields =
        day.map { day in known?.days.first { $0.day == day }?.fields ?? [] }
        ?? known?.fields ?? []
    }
    guard case .count(let count?)? = fields.first(where: { $0.name.hasBytes(of: field) })?.value
    else { return nil }
    return Amount(count)
  }

  /// The entity and the day of a row's text.
  static func place(_ text: String) -> (entity: EntityID?, day: Day?) {
    guard let mark = text.lastIndex(of: "@"),
      let day = Day(String(text[text.index(after: mark)...]))
    else { return (EntityID(text), nil) }
    return (EntityID(String(text[..<mark])), day)
  }

  private func counter(_ rowText: String, _ field: String) -> Int? {
    let (entity, day) = Self.place(rowText)
    guard let field = state.fieldNumber(field) else { return nil }
    var row: Int32
    if let entity {
      guard let index = fold.entityNames.find(entity.description) else { return nil }
      row = fold.entities[index].row
      if let day { row = fold.dayRow(of: Int32(index), day.number) }
    } else {
      row = Int32(fold.catalog.collections.firstIndex { $0.kind == rowText } ?? -1)
    }
    return row < 0 ? nil : fold.findCounter(row, field).map { Int($0) }
  }
}
