public import EventLog
public import EventLogUndo

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The users of an app on this device: guests, and people who have signed in.
///
/// Each user has a journal of their own in one folder, so that the events of different users never
/// share a file. Before the first sign-in, the current user is a guest, whose events stay on the
/// device. Signing in adopts them.
///
/// ```swift
/// let accounts = try await Accounts.open(folder, records: Meal.self, providers: [iCloud])
/// let soup = try await accounts.current.store.create(Meal.self) { $0.name = "Soup" }
/// try await accounts.signIn(as: "u-4711")  // the soup is now this account's
/// ```
///
/// No call requires a network: a user is your app's own ID of a person. Calls that change the
/// current user wait for each other. Use one value for a folder in each process. Processes can use
/// the same folder, such as an app and its extension: each change of the folder is made under a
/// lock, which is held only for that change.
public final class Accounts: Sendable {
  private let core: AccountsCore

  private init(_ core: AccountsCore) { self.core = core }

  /// Opens the accounts in a folder.
  ///
  /// The current user is the one who was signed in last, or else a guest. A sign-in that was
  /// interrupted by a crash is finished.
  ///
  /// - Parameters:
  ///   - folder: The folder of the journals. It is created if it doesn't exist.
  ///   - records: The app's record types.
  ///   - revision: The number of these declarations, as in
  ///     `EventStore.open(_:user:device:records:revision:projections:)`, or `nil` for that of the
  ///     catalog in `options`, which is 1 by default.
  ///   - providers: The places that the app offers, in the order in which to try them.
  ///   - options: The settings.
  /// - Returns: The accounts.
  /// - Throws: `invalidInput` if `accounts.json` in the folder is damaged or of a later version;
  ///   `locked` if another process holds the folder's lock; `invalidSchema`; and the errors of
  ///   `EventStore.open(path:options:catalog:projections:)`.
  /// - Complexity: O(*n*), where *n* is the size of the current user's journal, or of its
  ///   checkpoint and the lines after it. If `accounts.json` is lost, all journals are read.
  public static func open(
    _ folder: URL, records: any Record.Type..., revision: Int? = nil,
    providers: [any Provider] = [], options: AccountOptions = AccountOptions()
  ) async throws(EventLogError) -> Accounts {
    guard folder.isFileURL else {
      throw EventLogError(
        invalidInput: "Accounts are in a folder, and \"\(folder.absoluteString)\" is not a file"
          + " URL.", hint: "Use a file URL.")
    }
    var options = options
    options.catalog.revision = revision ?? options.catalog.revision ?? 1
    return try await open(folder.path, records: records, providers: providers, options: options)
  }

  /// Opens the accounts in the folder at a path.
  package static func open(
    _ path: String, records: [any Record.Type] = [], providers: [any Provider] = [],
    options: AccountOptions = AccountOptions()
  ) async throws(EventLogError) -> Accounts {
    var options = options
    options.catalog = try options.catalog.adding(records)
    return Accounts(try await AccountsCore.open(path, providers, options))
  }

  /// The current user.
  public var current: Account { core.feed.value }

  /// The current user, followed by the latest one after each sign-in, sign-out, and change of a
  /// place's status.
  public var changes: AsyncStream<Account> { core.feed.changes }

  /// The users whose journals are on this device, including adopted guests.
  public var all: [KnownAccount] {
    get async { await core.all }
  }

  /// Makes an account the current user.
  ///
  /// If a guest is current and has written anything, the account adopts the guest: the guest's
  /// events become the account's, and if both wrote different values, a conflict lists both. The
  /// guest's file stays on the device, but the guest isn't shown again. The same holds for an
  /// anonymous account. If another account is current, it is signed out, its journal stays, and
  /// nothing is adopted.
  ///
  /// After a crash, opening the accounts again finishes the call. The same holds if the call fails
  /// after events of the guest have arrived in the account's journal. Until the call is finished,
  /// no other account can adopt the guest. If an account in another process adopts the guest at the
  /// same time, the guest belongs to that account.
  ///
  /// - Parameters:
  ///   - user: Your app's own, stable ID of the person, such as the ID that an identity provider
  ///     returns.
  ///   - isAnonymous: Whether no identity is linked to the account yet, so that the next account
  ///     adopts it. If one is linked later, sign in again with the same ID and `false`.
  ///   - guest: What to do with the guest's events.
  /// - Returns: The account, and the result of the adoption.
  /// - Throws: `invalidInput` if `user` can't be the name of an account; the errors of
  ///   `EventStore.adopt(_:)`, such as `damaged` for the guest's journal; `inputOutput`; `locked`;
  ///   `canceled` if the task is canceled while another call is under way. The current user stays
  ///   the same then.
  @discardableResult
  public func signIn(
    as user: String, isAnonymous: Bool = false, guest: GuestChoice = .adopt
  ) async throws(EventLogError) -> SignIn {
    try await core.signIn(as: user, isAnonymous: isAnonymous, guest: guest)
  }

  /// Signs the current account out.
  ///
  /// Then a guest is the current user: a new one without events, or the one whose events were left
  /// when the account signed in. For a guest, nothing changes.
  ///
  /// - Parameter leaving: What to do with the account's journal.
  /// - Returns: Whether the journal was removed, and how many events were lost with it.
  /// - Throws: `eventsOnlyHere` for ``Leaving/removeIfElsewhere`` if some events may not be in
  ///   another place, none can be reached, or another process has appended meanwhile; `canceled` if
  ///   the task is canceled before that is known; `locked` if another process holds the lock of the
  ///   folder or of a journal. The account stays signed in then. Also `inputOutput`, after which it
  ///   may be signed out.
  @discardableResult
  public func signOut(_ leaving: Leaving = .keep) async throws(EventLogError) -> SignOut {
    try await core.signOut(leaving)
  }

  /// Undoes the adoption of a guest or an anonymous account by the current account.
  ///
  /// It does what `EventStore.undoAdoption(of:)` does. If the adopted user's journal is
  /// on this device, it is that user's again: a guest is current after the next sign-out.
  ///
  /// - Parameter user: The user who was adopted.
  /// - Returns: The values that changed, and the entities that stay.
  /// - Throws: The errors of `EventStore.undoAdoption(of:)`; `inputOutput`; `canceled` if the task
  ///   is canceled while another call is under way.
  @discardableResult
  public func undoAdoption(of user: String) async throws(EventLogError) -> DeviceUndoReport {
    try await core.undoAdoption(of: user)
  }

  /// Syncs with the account's places now, and returns the number of events that none of them has.
  ///
  /// A place that had stopped is used again if the sync with it succeeds. Objects that earlier
  /// syncs found intact aren't read again; ``Leaving/removeIfElsewhere`` does that.
  ///
  /// - Returns: The number of events. If no place can be reached, it is the number of all events.
  public func eventsOnlyHere() async -> Int { await core.eventsOnlyHere() }

  /// Chooses which providers keep the current account's events.
  ///
  /// The choice belongs to the account: other accounts of this device have their own. Before the
  /// first choice, nothing of an account is sent. The choice is kept on this device, with its time,
  /// until the account's journal is removed from it.
  ///
  /// - Parameter choice: The providers to use.
  /// - Throws: `usage` for a guest; `invalidInput` if the app has no provider of that name;
  ///   `locked`; `inputOutput`; `journalReplaced` if another process has removed the account's
  ///   journal; `canceled` if the task is canceled while another call is under way. The choice is
  ///   unchanged then.
  public func choose(_ choice: ProviderChoice) async throws(EventLogError) {
    try await core.choose(choice)
  }

  /// Asks each provider about the current account.
  ///
  /// - Returns: The providers in the app's order. The list is empty for a guest.
  public func providers() async -> [ProviderReport] { await core.providerReports() }

  /// Syncs with all places of the current account now, including those that wait or have stopped.
  ///
  /// If a place has stopped, its provider is asked for a remote again.
  ///
  /// Call it when the network is available again, or when the user pulls to refresh.
  public func syncNow() async { await core.syncNow() }

  /// Ends all syncs, and closes the current user's journal.
  ///
  /// - Throws: `syncFailed`; `canceled` if the task is canceled while another call is under way.
  ///   The accounts stay open then.
  public func close() async throws(EventLogError) { try await core.close() }
}
