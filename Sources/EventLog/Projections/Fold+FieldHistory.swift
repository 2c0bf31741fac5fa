extension Fold {
  /// A field of a place, and the mechanism behind what shows there.
  struct FieldPlace {
    var entity: Int32
    var day: Int32
    var row: Int32
    /// The field's number; −1 for presence.
    var field: Int32
    var kind: FieldHistory.Kind
  }

  /// The field of a row; nil if nothing was ever written to it.
  func fieldPlace(row: Int32, named name: String) -> FieldPlace? {
    let place = rows[Int(row)]
    func found(_ field: Int32, _ kind: FieldHistory.Kind) -> FieldPlace {
      FieldPlace(entity: place.entity, day: place.day, row: row, field: field, kind: kind)
    }
    if name == "presence", place.entity >= 0, place.day == Row.noDay { return found(-1, .presence) }
    guard let index = fieldNames.find(StringSpelling.spelled(name.utf8)) else { return nil }
    let field = Int32(index)
    if findSet(row, field) != nil { return found(field, .members) }
    if findRegister(row, field) >= 0 { return found(field, .register) }
    return findCounter(row, field).map { _ in found(field, .counter) }
  }

  /// The names of the fields of a row to which anything was written.
  func fieldNames(row: Int32) -> [String] {
    var names: [String] = []
    var cell = rows[Int(row)].firstRegister
    while cell >= 0 {
      names.append(fieldText(registers.cells[Int(cell)].field))
      cell = registers.cells[Int(cell)].next
    }
    cell = rows[Int(row)].firstCounter
    while cell >= 0 {
      names.append(fieldText(counters.cells[Int(cell)].field))
      cell = counters.cells[Int(cell)].next
    }
    cell = rows[Int(row)].firstSet
    while cell >= 0 {
      names.append(fieldText(sets.cells[Int(cell)].field))
      cell = sets.cells[Int(cell)].next
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Puts the writes that were collected in order and says what became of each.
  func fieldHistory(
    _ place: FieldPlace, named name: String, _ collected: [WriteCollector.Write],
    _ ledger: Ledger
  ) -> FieldHistory {
    let states = WriteStates(self, place, ledger)
    let wanted = collected.filter { states.concerns($0) }
    let order = WriteOrder(wanted, ledger)
    let writes = order.sorted(ledger).map { index -> FieldHistory.Write in
      let write = wanted[index]
      let replaced =
        write.action.replaces
        ? order.latestSeen(by: index) {
          write.action != .excluded || wanted[$0].action == .included
        }
        : []
      return FieldHistory.Write(
        event: write.dot.id(ledger), at: Timestamp(trusted: write.dot.at), type: write.type,
        value: write.value, action: write.action,
        replaced: replaced.map { wanted[$0].dot.id(ledger) }
          .sorted { $0.description.utf8.lexicographicallyPrecedes($1.description.utf8) },
        state: states.state(
          of: write,
          isLatest: !wanted.indices.contains {
            order.hasSeen($0, index)
          }))
    }
    let collection =
      place.entity < 0 ? Int(place.row) : Int(entities[Int(place.entity)].collection)
    let isDeleted = place.entity >= 0 && presences.isHidden(place.entity)
    return FieldHistory(
      entity: placeText(entity: place.entity, day: place.day, of: collection), field: name,
      kind: place.kind, writes: writes, shown: isDeleted ? nil : states.shown,
      isDeleted: isDeleted)
  }
}

extension FieldHistory.Action {
  /// Whether such a write takes the place of what it had seen.
  fileprivate var replaces: Bool {
    switch self {
    case .written, .set, .excluded, .deleted, .restored: true
    case .advanced, .included, .created, .touched: false
    }
  }
}

/// Tells what became of a write by what is live in the fold.
private struct WriteStates {
  private let fold: Fold
  private let place: Fold.FieldPlace
  private let ledger: Ledger
  /// The live events of the mechanism.
  private let live: Set<EventKey>
  /// The value that shows, by the mechanism's own rule.
  let shown: JSONValue?

  private struct EventKey: Hashable {
    var device: Int32
    var sequence: Int64
    init(_ dot: Dot) {
      device = dot.device
      sequence = dot.sequence
    }
  }

  init(_ fold: Fold, _ place: Fold.FieldPlace, _ ledger: Ledger) {
    self.fold = fold
    self.place = place
    self.ledger = ledger
    var dots: [Dot] = []
    var shown: JSONValue?
    switch place.kind {
    case .register:
      let cell = Int(fold.findRegister(place.row, place.field))
      dots = fold.registers.liveValues(cell).map(\.dot)
      let value = JSONValue(
        canonical: fold.registers.bytes(fold.registers.shown(cell, ledger)))
      shown = value == .null ? nil : value
    case .counter:
      let cell = Int(fold.findCounter(place.row, place.field)!)
      dots = fold.counters.liveSets(cell).map(\.dot)
      shown = .number(JSONNumber(fold.counters.shown(cell, ledger)))
    case .members:
      let cell = Int(fold.findSet(place.row, place.field)!)
      shown = .array(fold.sets.members(cell).map { .string($0) })
    case .presence:
      dots =
        fold.presences.liveDeletions(place.entity).map(\.touch.dot)
        + fold.presences.contesting(place.entity).map(\.dot)
    }
    live = Set(dots.map(EventKey.init))
    self.shown = shown
  }

  /// Whether the write belongs to the mechanism that shows: a set hides a register.
  func concerns(_ write: WriteCollector.Write) -> Bool {
    switch (place.kind, write.action) {
    case (.register, .written), (.counter, .set), (.counter, .advanced), (.members, .included),
      (.members, .excluded), (.presence, .deleted), (.presence, .restored), (.presence, .created):
      true
    case (.presence, .touched): live.contains(EventKey(write.dot))
    default: false
    }
  }

  func state(of write: WriteCollector.Write, isLatest: Bool) -> FieldHistory.State {
    let isLive = live.contains(EventKey(write.dot))
    switch place.kind {
    case .register:
      if !isLive { return .replaced }
      return write.value == (shown ?? .null) ? .shown : .contested
    case .counter:
      let cell = Int(fold.findCounter(place.row, place.field)!)
      if write.action == .advanced { return counts(write.dot, cell) ? .shown : .replaced }
      guard isLive, let set = fold.counters.liveSets(cell).first(where: { $0.dot == write.dot })
      else { return .replaced }
      return .number(JSONNumber(set.total)) == shown ? .shown : .contested
    case .members: return membersState(write)
    case .presence:
      if isLive { return fold.presences.isContested(place.entity) ? .contested : .shown }
      if write.action == .deleted { return .replaced }
      return isLatest && !fold.presences.isHidden(place.entity)
        && !fold.presences.isContested(place.entity) ? .shown : .replaced
    }
  }

  /// Whether an increment counts in the total that shows.
  private func counts(_ dot: Dot, _ cell: Int) -> Bool {
    guard let set = fold.counters.shownSet(cell, ledger) else { return true }
    let clock = ledger.history.clock(of: Int(set.dot.device), at: set.dot.sequence)
    return Int(dot.device) >= clock.count || clock[Int(dot.device)] < dot.sequence
  }

  /// An inclusion shows if one of its members is in by it; an exclusion if one of its members is
  /// out.
  private func membersState(_ write: WriteCollector.Write) -> FieldHistory.State {
    guard case .array(let values) = write.value else { return .replaced }
    let cell = Int(fold.findSet(place.row, place.field)!)
    let isShown = values.contains { value in
      guard case .string(let text) = value else { return false }
      let inclusions = fold.sets.inclusions(of: text, in: cell)
      return write.action == .excluded
        ? inclusions.isEmpty
        : inclusions.contains { EventKey($0) == EventKey(write.dot) }
    }
    return isShown ? .shown : .replaced
  }
}
