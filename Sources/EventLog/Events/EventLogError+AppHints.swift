extension EventLogError {
  /// Hints about Swift code.
  ///
  /// The command replaces them with hints for the command line.
  package enum AppHint {
    package static let unknownType =
      "Declare it in the schema, or append it with allowingUnknownTypes: true."
    package static let invalidType = "Use a type such as meal.created."
    package static let noConflict =
      "Look at Snapshot.conflicts again, and resolve what is still open."
    package static let noEntity =
      "Create it first, or use the ID of one that exists: Snapshot.all(_:) lists them."
    package static let unreadable =
      "Update the app. To replace the value anyway, pass the error's unseen writes as `over`."
    package static let undeclaredKind = "Open the journal with the collection of that kind."
    package static let noUser = "Open the store with a user: EventStore.open(…, user: \"ada\")."
    package static let noJournal =
      "Check the path. To create a journal, pass its user: EventStore.open(…, user: \"ada\"), or"
      + " JournalOptions(user: \"ada\")."

    package static let all: Set<String> = [
      unknownType, invalidType, noConflict, noEntity, undeclaredKind, unreadable, noUser, noJournal,
    ]
  }

  /// The same error with another hint.
  package func advising(_ hint: String) -> EventLogError {
    EventLogError(
      code, message, hint: hint, at: location, cause: cause, unseen: unseen, retryAfter: retryAfter)
  }
}
