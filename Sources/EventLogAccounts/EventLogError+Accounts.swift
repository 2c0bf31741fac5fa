import EventLog

extension EventLogError {
  /// - Throws: `invalidInput` if the name isn't valid for an account.
  static func checkAccountName(_ user: String) throws(EventLogError) {
    guard !GuestName.isGuest(user) else {
      throw EventLogError(
        invalidInput: "\"\(user)\" is the name of a guest, and no account. Nothing was changed.",
        hint: "Sign in with your app's own ID of the person.")
    }
    guard JournalUsers.isValid(user: user) else {
      throw EventLogError(
        invalidInput: "An account has a name of 1 to 128 bytes without control characters. Nothing"
          + " was changed.", hint: "Sign in with your app's own ID of the person.")
    }
  }

  /// The error of a task that was canceled before a provider responded.
  static var providerCallCanceled: EventLogError {
    EventLogError(
      .canceled, "The call was canceled before the provider answered. Nothing was changed.",
      hint: "Ask again.")
  }

  /// The error of a task that was canceled while it waited for an earlier call.
  static var waitCanceled: EventLogError {
    EventLogError(
      .canceled, "The call was canceled while it waited for another one. Nothing was changed.",
      hint: "Call it again.")
  }

  /// The error of a sign-out that was canceled while it counted events.
  static var signOutCanceled: EventLogError {
    EventLogError(
      .canceled, "Signing out was canceled. The journal stays, and the user is still signed in.",
      hint: "Sign out again.")
  }

  /// The error if a journal was written to after its events were compared, or can't be examined.
  static var eventsAdded: EventLogError {
    EventLogError(
      .eventsOnlyHere,
      "Events were added to the account after it was compared with its places, or its journal could"
        + " not be read. Nothing was changed, and the user is still signed in.",
      hint: "Sign out again.")
  }

  static func eventsOnlyHere(_ count: Int) -> EventLogError {
    EventLogError(
      .eventsOnlyHere,
      "\(count == 1 ? "1 event" : "\(count) events") may be nowhere but on this device. Nothing was"
        + " changed, and the user is still signed in.",
      hint: "Sync first, or sign out and keep the journal, or remove it for good.")
  }
}
