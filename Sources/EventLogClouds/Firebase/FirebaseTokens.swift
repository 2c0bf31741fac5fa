import EventLog

/// The tokens in a response.
struct FirebaseTokens: Sendable {
  let idToken: IDToken
  let refreshToken: String
  /// The lifetime of the ID token, in seconds.
  let lifetime: Int64

  /// Parses a response, whose names are in camel case or snake case. Nil if it has no tokens.
  init?(_ body: JSONValue) {
    func text(_ name: String, _ otherName: String) -> String? {
      guard case .string(let text)? = body[name] ?? body[otherName], !text.isEmpty else {
        return nil
      }
      return text
    }
    guard let idToken = text("idToken", "id_token").flatMap({ IDToken($0) }),
      let refreshToken = text("refreshToken", "refresh_token"),
      let seconds = text("expiresIn", "expires_in").flatMap({ Int64($0) }),
      (1...86_400 * 30).contains(seconds)
    else { return nil }
    (self.idToken, self.refreshToken, self.lifetime) = (idToken, refreshToken, seconds)
  }
}
