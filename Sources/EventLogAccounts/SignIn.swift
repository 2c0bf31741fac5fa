/// The result of signing in.
public struct SignIn: Sendable {
  /// The account that is current now.
  public let account: Account
  /// The result of adopting the guest, or `nil` if there was none to adopt.
  public let adoption: AdoptionReport?
}

/// A choice of what happens to a guest's events at sign-in.
public enum GuestChoice: String, Sendable, Hashable, CaseIterable {
  /// The account adopts the guest: the guest's events become part of the account's journal.
  case adopt
  /// The guest's journal is unchanged, and the guest is current again after signing out.
  case leave
}
