/// The steps of a sign-in.
struct SignInPlan: Hashable {
  /// Whether the account's journal is created.
  var isNew: Bool
  /// Whether the account adopts the guest.
  var adopts: Bool

  /// - Parameters:
  ///   - hasJournal: Whether the account's journal is on this device.
  ///   - guestHasEvents: Whether the guest, or the current anonymous account, has written anything.
  init(hasJournal: Bool, guestHasEvents: Bool, guest choice: GuestChoice) {
    isNew = !hasJournal
    adopts = guestHasEvents && choice == .adopt
  }
}
