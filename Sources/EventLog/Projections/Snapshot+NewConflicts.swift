extension Snapshot {
  /// The conflicts that somebody who was shown an earlier state does not know: new ones, and those
  /// that have got a further candidate.
  ///
  /// - Complexity: O(conflicts of both states).
  public func conflicts(since earlier: Snapshot) -> [Conflict] {
    conflicts(besides: earlier.conflictCandidates)
  }

  /// The candidates of each conflict, by its ID as bytes: to `==`, some different IDs are one.
  var conflictCandidates: [[UInt8]: Set<EventID>] {
    Dictionary(
      conflicts.map { (Array($0.id.utf8), Set($0.candidates.map(\.event))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The conflicts that are not among those given, and those that have a further candidate.
  func conflicts(besides known: [[UInt8]: Set<EventID>]) -> [Conflict] {
    conflicts.filter { conflict in
      guard let events = known[Array(conflict.id.utf8)] else { return true }
      return !conflict.candidates.allSatisfy { events.contains($0.event) }
    }
  }
}
