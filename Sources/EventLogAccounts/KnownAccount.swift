/// A user whose journal is on this device.
public struct KnownAccount: Sendable, Hashable, Identifiable {
  /// The user of the journal.
  public let user: String
  /// A Boolean value that indicates whether the user is a guest.
  public let isGuest: Bool
  /// The account that has adopted the guest or anonymous account, or `nil` if none has.
  ///
  /// It is the user's own name for a second journal of the same user, whose events are in the first
  /// one.
  public let adoptedBy: String?
  /// A Boolean value that indicates whether this is the current user.
  public let isCurrent: Bool
  /// The path of the journal's file, which may not exist yet.
  public let path: String

  /// The path, because a user may have a second journal.
  public var id: String { path }
}
