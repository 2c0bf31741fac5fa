import EventLog

/// What signing in comes to.
struct SignInPlan: Hashable {
  /// Whether the account's journal begins now.
  var isNew: Bool
  /// Whether the account adopts the guest, who is not shown again then.
  var adopts: Bool

  /// - Parameters:
  ///   - hasJournal: whether the account's journal is on this device.
  ///   - guestHasEvents: whether the guest, or the anonymous account that is current, has written
  ///     anything.
  init(hasJournal: Bool, guestHasEvents: Bool, guest choice: GuestChoice) {
    isNew = !hasJournal
    adopts = guestHasEvents && choice == .adopt
  }
}

/// What signing out comes to.
enum SignOutPlan: Hashable {
  /// The journal stays.
  case keep
  /// It is removed, and so many events with it that may be nowhere else.
  case remove(lost: Int)
  /// Nothing changes, because so many events may be nowhere else.
  case refuse(onlyHere: Int)

  /// - Parameter onlyHere: how many events may be nowhere else.
  init(_ leaving: Leaving, onlyHere: Int) {
    switch leaving {
    case .keep: self = .keep
    case .remove: self = .remove(lost: onlyHere)
    case .removeIfElsewhere:
      self = onlyHere == 0 ? .remove(lost: 0) : .refuse(onlyHere: onlyHere)
    }
  }
}

extension EventLogError {
  /// - Throws: `invalidInput` for a name that no account can have.
  static func checkAccount(_ user: String) throws(EventLogError) {
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

  /// The task was cancelled before a provider answered.
  static var notAwaited: EventLogError {
    EventLogError(
      .cancelled, "The call was cancelled before the provider answered. Nothing was changed.",
      hint: "Ask again.")
  }

  /// The task was cancelled before the call had its turn.
  static var turnNotAwaited: EventLogError {
    EventLogError(
      .cancelled, "The call was cancelled while it waited for another one. Nothing was changed.",
      hint: "Call it again.")
  }

  /// The task was cancelled before it was known what is elsewhere.
  static var signOutCancelled: EventLogError {
    EventLogError(
      .cancelled, "Signing out was cancelled. The journal stays, and the user is still signed in.",
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

/// The names of guests, which are made here.
enum GuestName {
  static func next(_ random: RandomText) -> String { JournalUsers.guestPrefix + random.next(16) }

  static func isGuest(_ user: String) -> Bool { JournalUsers.isGuest(user) }
}
