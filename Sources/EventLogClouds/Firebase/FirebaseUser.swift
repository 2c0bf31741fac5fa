/// A signed-in user of a Firebase project.
public struct FirebaseUser: Sendable, Hashable {
  /// The user's Firebase ID, which never changes: linking keeps it.
  public let id: String
  /// Whether only this device can sign in as this user.
  ///
  /// An anonymous user whose stored sign-in is lost can't be reached again. Link an e-mail address
  /// or the identity of another provider to keep the user.
  public let isAnonymous: Bool
}
