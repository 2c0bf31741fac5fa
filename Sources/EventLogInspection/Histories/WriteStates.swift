import EventLog

/// Determines the states of writes from the live values of the fold.
struct WriteStates {
  private let fold: Fold
  private let location: Fold.FieldLocation
  private let ledger: Ledger
  /// The events of the field's live values.
  private let live: Set<EventKey>
  /// The shown value, by the rule of the mechanism.
  let shown: JSONValue?

  private struct EventKey: Hashable {
    var branch: Int32
    var sequence: Int64
    init(_ dot: Dot) {
      branch = dot.branch
      sequence = dot.sequence
    }
  }

  init(_ fold: Fold, _ location: Fold.FieldLocation, _ ledger: Ledger) {
    self.fold = fold
    self.location = location
    self.ledger = ledger
    var dots: [Dot] = []
    var shown: JSONValue?
    switch location.kind {
    case .register:
      let cell = Int(fold.findRegister(location.row, location.field))
      dots = fold.registers.liveValues(cell).map(\.dot)
      let value = JSONValue(
        canonical: fold.registers.bytes(fold.registers.shown(cell, ledger)))
      shown = value == .null ? nil : value
    case .counter:
      let cell = Int(fold.findCounter(location.row, location.field)!)
      dots = fold.counters.liveSets(cell).map(\.dot)
      shown = fold.counters.shown(cell, ledger).json
    case .members:
      let cell = Int(fold.findSet(location.row, location.field)!)
      shown = .array(fold.sets.members(cell).map { .string($0) })
    case .presence:
      dots =
        fold.presences.liveDeletions(location.entity).map(\.dot)
        + fold.presences.contesting(location.entity, ledger).map(\.dot)
    }
    live = Set(dots.map(EventKey.init))
    self.shown = shown
  }

  /// Whether the write belongs to the shown mechanism: a set hides a register.
  func concerns(_ write: WriteCollector.Write) -> Bool {
    switch (location.kind, write.action) {
    case (.register, .written), (.counter, .set), (.counter, .advanced), (.members, .included),
      (.members, .excluded), (.presence, .deleted), (.presence, .restored), (.presence, .created):
      true
    default: false
    }
  }

  /// Returns the state of a write.
  ///
  /// - Parameter isLatest: Whether no other write of the field had seen it.
  func state(
    of write: WriteCollector.Write, isLatest: Bool
  ) -> FieldHistory.State {
    let isLive = live.contains(EventKey(write.dot))
    switch location.kind {
    case .register:
      if !isLive { return .replaced }
      return write.value == (shown ?? .null) ? .shown : .contested
    case .counter:
      let cell = Int(fold.findCounter(location.row, location.field)!)
      if write.action == .advanced { return counts(write.dot, cell) ? .shown : .replaced }
      guard isLive, let set = fold.counters.liveSets(cell).first(where: { $0.dot == write.dot })
      else { return .replaced }
      // Two unknown totals may differ.
      let isShown =
        set.total == .unreadable
        ? write.dot == fold.counters.shownSet(cell, ledger)?.dot
        : set.total == fold.counters.shown(cell, ledger)
      return isShown ? .shown : .contested
    case .members: return .replaced
    case .presence:
      if isLive { return fold.presences.isContested(location.entity) ? .contested : .shown }
      if write.action == .deleted { return .replaced }
      return isLatest && !fold.presences.isHidden(location.entity)
        && !fold.presences.isContested(location.entity) ? .shown : .replaced
    }
  }

  /// Whether an increment counts in the shown total.
  private func counts(_ dot: Dot, _ cell: Int) -> Bool {
    guard let set = fold.counters.shownSet(cell, ledger) else { return true }
    return fold.counters.counts(dot.point, in: set, cell, ledger)
  }
}
