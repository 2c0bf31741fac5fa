extension Fold {
  /// Whether it keeps what the bases of conflicts follow from: where nobody asks for them, a
  /// reading takes less.
  var keepsPast: Bool {
    get { registers.keepsPast }
    set { (registers.keepsPast, counters.keepsPast) = (newValue, newValue) }
  }

  /// The base of a conflict, where it follows from what is kept; `.some(nil)` where nothing would
  /// show, nil where it is not known.
  ///
  /// - Parameter cut: what all candidates had seen; it must hold what its events had seen.
  func base(of conflict: OpenConflict, in cut: PastCut) -> JSONValue?? {
    // Before the first event there is nothing.
    if cut.limits.isEmpty { return .some(nil) }
    guard keepsPast else { return nil }
    switch conflict.subject {
    case .presence:
      return presences.isThere(conflict.entity, in: cut) == true ? .some(nil) : nil
    case .register(let cell):
      return registers.shown(Int(cell), in: cut).map { $0.map { JSONValue(canonical: $0) } }
    case .counter(let cell):
      return counters.shown(Int(cell), in: cut).map { $0.map { .number(JSONNumber($0)) } }
    }
  }

  /// Writes to the field of a conflict that lie in a cut, as far as they are kept.
  func writes(to conflict: OpenConflict, in cut: PastCut) -> [Ledger.Point] {
    guard keepsPast else { return [] }
    switch conflict.subject {
    case .presence: return []
    case .register(let cell):
      return registers.past.writes(registers.cells[Int(cell)].past, in: cut)
    case .counter(let cell):
      return counters.past.writes(counters.cells[Int(cell)].past, in: cut)
    }
  }
}

/// Tells of cuts whether they hold what their events had seen.
///
/// An event states what its device had then, and with it all that those had seen; only what was
/// written by hand, or by another program, may state less.
struct ClosedCuts {
  private var known: [PastCut: Bool] = [:]
  /// How many entries of clocks may still be compared before a reading is the lesser cost.
  private var comparisonsLeft = 1 << 24

  mutating func contains(_ cut: PastCut, _ ledger: Ledger) -> Bool {
    if let known = known[cut] { return known }
    // The clock of a branch's last event in the cut holds those of all before it.
    let closed = cut.limits.allSatisfy { branch, sequence in
      let entries = ledger.entries(of: .init(branch: branch, sequence: sequence))
      comparisonsLeft -= entries.count
      return comparisonsLeft >= 0
        && entries.allSatisfy { cut.contains(.init(branch: $0.key, sequence: $0.value)) }
    }
    guard comparisonsLeft >= 0 else { return false }
    known[cut] = closed
    return closed
  }
}
