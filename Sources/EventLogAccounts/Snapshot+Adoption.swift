public import EventLog

extension Snapshot {
  /// The open conflicts in which an adopted user and somebody else have written different values.
  ///
  /// They include conflicts that a sync has brought after the adoption, such as on a new device
  /// that receives the account's events later. Pass them to
  /// `EventStore.resolve(_:preferring:)`, or resolve them one by one.
  ///
  /// - Complexity: O(*n*), where *n* is the number of open conflicts.
  public var adoptionConflicts: [Conflict] {
    conflicts.filter { conflict in
      Set(conflict.candidates.map { adoptedOwner(of: $0.fullID) }).count > 1
    }
  }

  /// The entities that have the same name and were named by different users, at least one of whom
  /// was adopted.
  ///
  /// They include entities that a sync has brought after the adoption. Two entities stop being
  /// listed once one of them is deleted or has another name.
  ///
  /// - Complexity: O(*n*), where *n* is the number of entities.
  public var sameNames: [AdoptionReport.SameName] {
    namesOfSeveralUsers.map(AdoptionReport.SameName.init)
  }
}
