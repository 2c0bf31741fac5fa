/// A user of a Firebase project who is signed in.
public struct FirebaseUser: Sendable, Hashable {
  /// The user's Firebase ID, which never changes: linking keeps it.
  public let id: String
  /// Whether nothing but this device can sign in as this user.
  ///
  /// An anonymous user whose stored sign-in is lost can't be reached again. Link an e-mail address
  /// or the identity of another provider to keep the user.
  public let isAnonymous: Bool
}

/// What another provider, such as Apple or Google, has said about who a user is.
///
/// It contains secrets, and shows none of them in a description.
public struct FirebaseIdentity: Sendable {
  /// The provider as Firebase calls it, for example `apple.com` or `google.com`.
  public var provider: String
  /// The provider's ID token, or `nil` if it gave only an access token.
  public var idToken: String?
  /// The provider's access token, or `nil` if it gave only an ID token.
  public var accessToken: String?
  /// The nonce that the ID token was asked for with, before it was hashed, or `nil` if without one.
  public var nonce: String?

  /// Creates an identity from what a provider answered.
  ///
  /// - Parameters:
  ///   - provider: The provider as Firebase calls it.
  ///   - idToken: The provider's ID token.
  ///   - accessToken: The provider's access token.
  ///   - nonce: The nonce that the ID token was asked for with, before it was hashed.
  public init(
    provider: String, idToken: String? = nil, accessToken: String? = nil, nonce: String? = nil
  ) {
    (self.provider, self.idToken) = (provider, idToken)
    (self.accessToken, self.nonce) = (accessToken, nonce)
  }

  /// The form in which Firebase takes it.
  var form: String {
    let parts = [
      ("id_token", idToken), ("access_token", accessToken), ("nonce", nonce),
      ("providerId", provider),
    ]
    return parts.compactMap { name, value in
      value.map { "\(name)=\(PercentEncoding.encode($0))" }
    }.joined(separator: "&")
  }
}
