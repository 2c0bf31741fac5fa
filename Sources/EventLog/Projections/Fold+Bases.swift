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
    cut.limits.isEmpty ? .some(nil) : kept(of: conflict, in: cut)
  }

  /// The base, as far as it follows from what is kept of the field.
  func kept(of conflict: OpenConflict, in cut: some EventCut) -> JSONValue?? {
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

  /// Writes to the field of a conflict that lie in a cut, as far as they are kept; nil for a
  /// conflict that no single write tells the base of.
  func writes(to conflict: OpenConflict, in cut: some EventCut) -> [Ledger.Point]? {
    switch conflict.subject {
    case .presence: return nil
    case _ where !keepsPast: return []
    case .register(let cell):
      return registers.past.writes(registers.cells[Int(cell)].past, in: cut)
    case .counter(let cell):
      return counters.past.writes(counters.cells[Int(cell)].past, in: cut)
    }
  }
}
