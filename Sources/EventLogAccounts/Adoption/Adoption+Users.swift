import EventLog

extension Adoption {
  /// Returns the users of the other journal whom this journal's user is about to adopt.
  ///
  /// - Throws: `invalidInput` if both journals belong to the same user; `otherUser` if the other
  ///   journal's user has adopted this one's; `userNeeded`; `noJournal`.
  func usersToAdopt(
    of theirs: FrontierStatement, for ours: FrontierStatement
  ) throws(EventLogError) -> [String] {
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
    if GuestName.isGuest(here), !GuestName.isGuest(there) {
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
    return [there] + theirs.adoptedUsers.filter(JournalUsers.isValid(user:))
  }
}
