extension Snapshot {
  /// The users whose devices were adopted.
  package var adoptedUsers: [String] { ledger.users.adoptedUsers }

  /// Whether the device of an event joined as an adopted user, and not as the journal's own.
  package func isAdopted(_ event: FullEventID) -> Bool {
    guard let point = ledger.locate(event), let user = user.map({ Array($0.utf8) }) else {
      return false
    }
    let joined = ledger.users.users(of: Int(ledger.branches[Int(point.branch)].device))
    return !joined.isEmpty && !joined.contains(user)
  }

  /// The adopted user whose device wrote an event, by the bytes of the name; nil where it is the
  /// journal's own.
  package func adoptedOwner(of event: FullEventID) -> [UInt8]? {
    ledger.locate(event).flatMap { adoptedOwner(ofBranch: $0.branch) }
  }

  private func adoptedOwner(ofBranch branch: Int32) -> [UInt8]? {
    guard let user = user.map({ Array($0.utf8) }) else { return nil }
    let device = Int(ledger.branches[Int(branch)].device)
    return ledger.users.users(of: device).contains(user) ? nil : ledger.users.user(of: device)
  }

  /// The entities of one name that were named by different users, at least one of whom was adopted.
  ///
  /// - Complexity: O(entities).
  package var namesOfSeveralUsers: [SameName] {
    if ledger.users.adopted.isEmpty { return [] }
    var owners: [Int32: [UInt8]?] = [:]
    return fold.sameNames(ledger) { branch in
      if let known = owners[branch] { return known }
      let owner = adoptedOwner(ofBranch: branch)
      owners[branch] = .some(owner)
      return owner
    }
  }
}
