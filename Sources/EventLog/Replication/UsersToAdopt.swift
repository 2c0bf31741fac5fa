/// The users of another journal whom this journal's user is about to adopt.
struct UsersToAdopt {
  /// The other journal's user, and those whom that user had adopted.
  private let users: [String]

  /// - Parameters:
  ///   - theirs: what the other journal holds.
  ///   - ours: what this journal holds.
  ///   - address: what the other journal is called.
  /// - Throws: `invalidInput` where both journals have one user; `otherUser` where the other one's
  ///   user has adopted this one's; `userNeeded`.
  init(
    of theirs: FrontierStatement, for ours: FrontierStatement, at address: String
  ) throws(EventLogError) {
    guard let here = ours.user else {
      throw EventLogError(.userNeeded, "The journal is new and has no user yet.")
    }
    guard let there = theirs.user else {
      throw EventLogError(
        .noJournal, "\"\(address)\" contains no events to adopt. Nothing was changed.",
        hint: "Check the path.")
    }
    if here.hasBytes(of: there) {
      throw EventLogError(
        .invalidInput,
        "\"\(address)\" belongs to the same user, so there is nobody to adopt. Nothing was"
          + " changed.",
        hint: "To exchange events with it, sync with it.")
    }
    if JournalUsers.isGuest(here), !JournalUsers.isGuest(there) {
      throw EventLogError(
        .otherUser,
        "This journal belongs to a guest, and \"\(address)\" to an account. A guest cannot adopt an"
          + " account. Nothing was changed.",
        hint: "Adopt in the other direction: the account adopts the guest.")
    }
    if theirs.adoptedUsers.contains(where: { $0.hasBytes(of: here) }) {
      throw EventLogError(
        .otherUser,
        "The user of \"\(address)\" has already adopted this journal's user, and two users cannot"
          + " adopt each other. Nothing was changed.",
        hint: "Use \"\(address)\": once it has adopted this journal, it contains the events of"
          + " both.")
    }
    users = [there] + theirs.adoptedUsers.filter(JournalUsers.isValid(user:))
  }

  /// Those whose devices do not belong to a journal yet.
  func notYet(in ledger: Ledger) -> [String] {
    guard ledger.user != nil else { return users }
    return users.filter { !ledger.users.belongs(Array($0.utf8)) }
  }
}
