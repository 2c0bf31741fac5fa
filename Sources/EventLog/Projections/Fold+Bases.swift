extension Fold {
  /// Whether the fold keeps overwritten values, from which the bases of conflicts follow.
  ///
  /// A reading that needs no bases is cheaper without them.
  var keepsPast: Bool {
    get { registers.keepsPast }
    set { (registers.keepsPast, counters.keepsPast) = (newValue, newValue) }
  }

  /// The base of a conflict, if it follows from the values that the fold keeps: `.some(nil)` if
  /// nothing would be shown, nil if it is unknown.
  ///
  /// - Parameter cut: The events that all candidates had seen. It must be closed.
  func base(of conflict: OpenConflict, in cut: PastCut) -> JSONValue?? {
    // An empty cut shows nothing.
    if cut.limits.isEmpty { return .some(nil) }
    guard keepsPast else { return nil }
    switch conflict.subject {
    case .presence:
      return presences.isThere(conflict.entity, in: cut) == true ? .some(nil) : nil
    case .register(let cell):
      return registers.shown(Int(cell), in: cut).map { $0.map { JSONValue(canonical: $0) } }
    case .counter(let cell):
      return counters.shown(Int(cell), in: cut).map(\.json)
    }
  }
}
