/// A user's identity, as confirmed by another provider, such as Apple or Google.
///
/// Its descriptions don't contain the secrets.
public struct FirebaseIdentity: Sendable {
  /// The provider's name in Firebase, for example `apple.com` or `google.com`.
  public var provider: String
  /// The provider's ID token, or `nil` if it gave only an access token.
  public var idToken: String?
  /// The provider's access token, or `nil` if it gave only an ID token.
  public var accessToken: String?
  /// The nonce of the request for the ID token, before hashing, or `nil` if there was none.
  public var nonce: String?

  /// Creates an identity from a provider's response.
  ///
  /// - Parameters:
  ///   - provider: The provider's name in Firebase.
  ///   - idToken: The provider's ID token.
  ///   - accessToken: The provider's access token.
  ///   - nonce: The nonce of the request for the ID token, before hashing.
  public init(
    provider: String, idToken: String? = nil, accessToken: String? = nil, nonce: String? = nil
  ) {
    (self.provider, self.idToken) = (provider, idToken)
    (self.accessToken, self.nonce) = (accessToken, nonce)
  }

  /// The identity as form data, as Firebase expects it.
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
