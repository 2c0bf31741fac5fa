public import EventLog

/// A user on this device: an account that has signed in, or a guest.
public struct Account: Sendable {
  /// The user of the journal: the ID with which the app signed in, or a guest's generated name.
  public let user: String
  /// A Boolean value that indicates whether the user is a guest, so that no account is signed in.
  public let isGuest: Bool
  /// A Boolean value that indicates whether the app signed in with an anonymous account, which the
  /// next account adopts.
  public let isAnonymous: Bool
  /// The choice of providers and its time, or nil before the first choice.
  let chosen: AccountsFile.Choice?
  /// Whether the journal was created on this device and hasn't been synced with a remote yet.
  let isNew: Bool
  /// The user's journal.
  ///
  /// The journal of a guest is created by its first event.
  public let store: EventStore
  /// The places to which the user's events are replicated, with their sync statuses.
  ///
  /// It is empty for a guest, and for an account without a choice of places.
  public let places: [ProviderStatus]

  /// The places that the account's user has chosen, or `nil` for a guest and before the first
  /// choice.
  ///
  /// Without a choice, the account's events stay on this device: ask the user, and call
  /// ``Accounts/choose(_:)``.
  public var choice: ProviderChoice? { chosen?.providers }

  /// The time of the choice.
  public var chosenAt: Timestamp? { chosen?.at }

  /// A Boolean value that indicates whether the account's data may still be arriving.
  ///
  /// It is `true` for an account that is new on this device or has no events, until a sync with one
  /// of its places has succeeded. The events of an adopted guest are available immediately. You can
  /// write to the store in the meantime.
  public var isRestoring: Bool {
    !isGuest && (isNew || store.snapshot.eventCount == 0) && !places.isEmpty
      && places.allSatisfy { $0.lastSynced == nil }
  }

  /// Returns a copy with the choice and the statuses of a replication.
  func with(_ replication: AccountReplication) -> Account {
    let places = replication.statuses
    return Account(
      user: user, isGuest: isGuest, isAnonymous: isAnonymous, chosen: replication.chosen,
      isNew: isNew && places.allSatisfy { $0.lastSynced == nil }, store: store, places: places)
  }

  /// The entry of the account's journal in `accounts.json`.
  var ownEntry: AccountsFile.Entry {
    AccountsFile.Entry(
      file: Path.name(of: store.path), user: user, isAnonymous: isAnonymous, isRestoring: isNew,
      choice: chosen)
  }

  /// Returns a copy with the values of an entry in `accounts.json`.
  func with(_ entry: AccountsFile.Entry) -> Account {
    Account(
      user: user, isGuest: isGuest, isAnonymous: entry.isAnonymous, chosen: entry.choice,
      isNew: isNew, store: store, places: places)
  }
}
