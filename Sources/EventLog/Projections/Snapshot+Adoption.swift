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
}
