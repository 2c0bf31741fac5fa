/// An earlier state of a fold, which spares a reading where it tells the base of a conflict.
///
/// The base is what would show in a projection of a cut. A state shows the same for one field if
/// all that was written to it in one lies in the other:
///
/// - What the cut holds was read for the state.
/// - The cut holds what each of its events had seen, and it holds the live values of the state's
///   field. A value that is not live was replaced by a write that had seen it, so the cut holds
///   that one's clock, and with it what was replaced.
///
/// Where a cut reaches further than the state, the state tells its beginning by the same rule, and
/// only what stands behind has to be read.
struct PastState {
  let fold: Fold
  let ledger: Ledger
  /// Up to where in the file its lines stand; nil where a reading cannot go on from there.
  let endOffset: Int64?
  private var closed = ClosedCuts()

  /// - Parameters:
  ///   - fold: of a beginning of what the conflicts' fold was made of, and in the same order.
  ///   - ledger: of the same lines.
  init(fold: Fold, ledger: Ledger, endOffset: Int64? = nil) {
    self.fold = fold
    self.ledger = ledger
    self.endOffset = endOffset
  }

  /// The base of a conflict that arose later, by the clocks of `later`; nil where this state does
  /// not tell it, `.some(nil)` where nothing would show.
  mutating func base(
    of conflict: OpenConflict, cut: PastCut, _ later: Ledger
  ) -> JSONValue?? {
    guard ledger.holds(cut), tells(conflict, cut, later) else { return nil }
    return .some(fold.shown(of: conflict, ledger))
  }

  /// Whether the field of a conflict was here as it is in what the cut holds of these lines: then
  /// the base follows from that and from what the cut holds of those behind.
  mutating func tellsBeginning(
    of conflict: OpenConflict, cut: PastCut, _ later: Ledger
  ) -> Bool {
    endOffset != nil && tells(conflict, ledger.part(of: cut), later)
  }

  private mutating func tells(
    _ conflict: OpenConflict, _ cut: PastCut, _ later: Ledger
  ) -> Bool {
    ledger.isWholly(cut)
      || fold.hasNothing(of: conflict, beyond: cut) && closed.contains(cut, later)
  }
}

extension Ledger {
  /// Whether all that a cut holds was read here.
  fileprivate func holds(_ cut: PastCut) -> Bool {
    cut.limits.allSatisfy { Int($0.key) < branches.count && $0.value <= branches[Int($0.key)].last }
  }

  /// What was read here of what a cut holds.
  fileprivate func part(of cut: PastCut) -> PastCut {
    PastCut(
      cut.limits.filter { Int($0.key) < branches.count }
        .reduce(into: [:]) { $0[$1.key] = min($1.value, branches[Int($1.key)].last) })
  }

  /// Whether a cut that was read here holds all that was.
  fileprivate func isWholly(_ cut: PastCut) -> Bool {
    cut.limits.count == branches.count
      && cut.limits.allSatisfy { branches[Int($0.key)].last == $0.value }
  }
}

extension Fold {
  /// The cell of what a conflict that arose later is about; −1 if nothing was written to it here.
  func cell(of conflict: OpenConflict) -> Int32 {
    guard Int(conflict.row) < rows.count else { return -1 }
    return switch conflict.subject {
    case .presence: -1
    case .register: findRegister(conflict.row, conflict.fieldIndex)
    case .counter: findCounter(conflict.row, conflict.fieldIndex) ?? -1
    }
  }

  /// Whether a cut holds all live writes to the field of a conflict, or there are none.
  fileprivate func hasNothing(of conflict: OpenConflict, beyond cut: PastCut) -> Bool {
    func isWithin(_ dot: Dot) -> Bool { cut.contains(dot.point) }
    switch conflict.subject {
    case .presence:
      // Every event that names the entity counts, and those are not all kept.
      return false
    case .register:
      guard Int(conflict.row) < rows.count else { return true }
      guard findSet(conflict.row, conflict.fieldIndex) == nil else { return false }
      let cell = Int(findRegister(conflict.row, conflict.fieldIndex))
      return cell < 0 || registers.liveValues(cell).allSatisfy { isWithin($0.dot) }
    case .counter:
      guard Int(conflict.row) < rows.count,
        let cell = findCounter(conflict.row, conflict.fieldIndex)
      else { return true }
      return counters.liveDots(Int(cell)).allSatisfy(isWithin)
    }
  }

  /// What shows here for the field of a conflict that arose later; nil if nothing does.
  fileprivate func shown(of conflict: OpenConflict, _ ledger: Ledger) -> JSONValue? {
    switch conflict.subject {
    case .presence:
      let isKnown = Int(conflict.entity) < entities.count
      return isKnown && presences.isHidden(conflict.entity) ? "deleted" : nil
    case .register:
      guard Int(conflict.row) < rows.count, findSet(conflict.row, conflict.fieldIndex) == nil
      else { return nil }
      let cell = findRegister(conflict.row, conflict.fieldIndex)
      return cell < 0
        ? nil : JSONValue(canonical: registers.bytes(registers.shown(Int(cell), ledger)))
    case .counter:
      guard Int(conflict.row) < rows.count else { return nil }
      return findCounter(conflict.row, conflict.fieldIndex).map {
        .number(JSONNumber(counters.shown(Int($0), ledger)))
      }
    }
  }
}
