extension JournalWriter {
  /// Appends one `user.adopted` for each of some users, durably; nothing for none.
  ///
  /// - Throws: the errors of ``JournalBatch/adopt(_:)``, and of an append.
  func adopt(_ users: [String]) throws(EventLogError) {
    if users.isEmpty { return }
    note(try commit { (batch) throws(EventLogError) in try batch.adopt(users) })
  }
}

extension JournalBatch {
  /// Says that the devices of some users belong to the journal's user from now on.
  ///
  /// - Throws: `otherUser` where the own device joined as somebody else, so that its adoptions do
  ///   not count; `userNeeded`.
  mutating func adopt(_ users: [String]) throws(EventLogError) {
    try checkUser()
    let owner = pass.ledger.user ?? options.user ?? ""
    for (index, user) in users.enumerated() {
      _ = try add(
        EventDraft(
          type: "user.adopted",
          data: JSONObject([
            .init(name: "from", value: .string(user)), .init(name: "to", value: .string(owner)),
          ])),
        // A crash leaves all or none of so many; each takes less than a KiB.
        hasMore: index + 1 < users.count && (index + 1) % 1024 != 0)
    }
    guard users.allSatisfy({ pass.ledger.users.belongs(Array($0.utf8)) }) else {
      throw EventLogError(
        .otherUser,
        "This copy's device belongs to an adopted user, so it cannot adopt for the journal's user."
          + " Nothing was written.",
        hint: "Adopt on a device of the journal's user.")
    }
  }
}
