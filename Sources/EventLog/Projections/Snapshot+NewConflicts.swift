extension Snapshot {
  /// Returns the conflicts that are new since an earlier state, or have a new candidate.
  ///
  /// - Parameter earlier: A state that the user has already seen.
  /// - Complexity: O(*n*), where *n* is the number of conflicts in both states.
  public func conflicts(since earlier: Snapshot) -> [Conflict] {
    conflicts(besides: earlier.conflictCandidates)
  }

  /// The candidates of each conflict, by its ID as bytes, because `==` considers some different IDs
  /// equal.
  var conflictCandidates: [[UInt8]: Set<FullEventID>] {
    fold.conflictCandidates(ledger, includingDeleted: includesDeleted)
  }

  /// The conflicts that aren't among the known ones or that have a new candidate.
  func conflicts(besides known: [[UInt8]: Set<FullEventID>]) -> [Conflict] {
    conflicts.filter { conflict in
      guard let events = known[Array(conflict.id.utf8)] else { return true }
      return !conflict.candidates.allSatisfy { events.contains($0.fullID) }
    }
  }
}

extension Fold {
  /// The candidates of each conflict, by its ID as bytes.
  func conflictCandidates(
    _ ledger: Ledger, includingDeleted: Bool = false
  ) -> [[UInt8]: Set<FullEventID>] {
    Dictionary(
      openConflicts(ledger, includingDeleted: includingDeleted).map { open in
        (Array(id(of: open).utf8), Set(open.candidates.map { ledger.fullID($0.point) }))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The conflicts that none of the given states contains with all their candidates.
  func openConflicts(
    _ ledger: Ledger, besides known: [[[UInt8]: Set<FullEventID>]]
  ) -> [OpenConflict] {
    openConflicts(ledger).filter { open in
      let id = Array(id(of: open).utf8)
      return !known.contains { candidates in
        guard let events = candidates[id] else { return false }
        return open.candidates.allSatisfy { events.contains(ledger.fullID($0.point)) }
      }
    }
  }
}
