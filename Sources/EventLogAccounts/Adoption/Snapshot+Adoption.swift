public import EventLog

extension Snapshot {
  /// The open conflicts in which an adopted user and another user have written different values.
  ///
  /// They include conflicts from syncs after the adoption, such as on a new device that receives
  /// the account's events later. Pass them to `EventStore.resolve(_:preferring:)`, or resolve them
  /// one by one.
  ///
  /// - Complexity: O(*n*), where *n* is the number of open conflicts.
  public var adoptionConflicts: [Conflict] {
    conflicts.filter { conflict in
      Set(conflict.candidates.map { ledger.locate($0.fullID).flatMap { adoptedOwner($0.branch) } })
        .count > 1
    }
  }

  /// The entities that have the same name and were named by different users, at least one of whom
  /// was adopted.
  ///
  /// They include entities from syncs after the adoption. Two entities stop being listed once one
  /// of them is deleted or has another name.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities.
  public var sameNames: [AdoptionReport.SameName] {
    if ledger.users.adopted.isEmpty { return [] }
    let owners = ledger.branches.indices.map { adoptedOwner(Int32($0)) }
    return fold.sameNames(ledger) { owners[Int($0)] }
  }

  /// The users whose devices were adopted.
  package var adoptedUsers: [String] { ledger.users.adoptedUsers }

  /// Returns whether the device of an event joined as an adopted user, and not as the journal's
  /// user.
  package func isAdopted(_ event: FullEventID) -> Bool {
    ledger.locate(event).map { adoptedOwner($0.branch) != nil } ?? false
  }

  /// Returns the bytes of the name of the adopted user whose device wrote a branch, or nil for the
  /// journal's user.
  private func adoptedOwner(_ branch: Int32) -> [UInt8]? {
    guard let user = user.map({ Array($0.utf8) }) else { return nil }
    let device = Int(ledger.branches[Int(branch)].device)
    return ledger.users.users(of: device).contains(user) ? nil : ledger.users.user(of: device)
  }
}
