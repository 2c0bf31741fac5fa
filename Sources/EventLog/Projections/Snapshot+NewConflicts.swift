extension Snapshot {
  /// The conflicts that somebody who was shown an earlier state does not know: new ones, and those
  /// that have got a further candidate.
  ///
  /// - Complexity: O(conflicts of both states).
  public func conflicts(since earlier: Snapshot) -> [Conflict] {
    // By bytes: to `==`, some different fields are one.
    var known: [[UInt8]: Set<EventID>] = [:]
    for conflict in earlier.conflicts {
      known[Array(conflict.id.utf8)] = Set(conflict.candidates.map(\.event))
    }
    return conflicts.filter { conflict in
      guard let events = known[Array(conflict.id.utf8)] else { return true }
      return !conflict.candidates.allSatisfy { events.contains($0.event) }
    }
  }
}
