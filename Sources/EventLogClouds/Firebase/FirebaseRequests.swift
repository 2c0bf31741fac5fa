import EventLog

/// What is said to Firebase Auth, and what it answers.
struct FirebaseRequests: Sendable {
  let apiKey: String
  /// `HOST:PORT` of an emulator.
  let emulator: String?

  /// Each time that it is carried out, it makes another user.
  func signUp() -> HTTPRequest {
    var request = accounts("signUp", ["returnSecureToken": true])
    request.isSentOnce = true
    return request
  }

  /// Gives the user of a token an address and password. `signUp`, because `update` is refused where
  /// the project protects against the guessing of addresses.
  func link(_ idToken: String, email: String, password: String) -> HTTPRequest {
    accounts(
      "signUp",
      [
        "idToken": .string(idToken), "email": .string(email), "password": .string(password),
        "returnSecureToken": true,
      ])
  }

  func signIn(email: String, password: String) -> HTTPRequest {
    accounts(
      "signInWithPassword",
      ["email": .string(email), "password": .string(password), "returnSecureToken": true])
  }

  /// - Parameter idToken: The user's to whom the identity is to be linked.
  func signIn(
    _ identity: FirebaseIdentity, linkedTo idToken: String? = nil, creates: Bool = true
  ) -> HTTPRequest {
    var body: JSONObject = [
      "postBody": .string(identity.form), "requestUri": "http://localhost",
      "returnSecureToken": true,
    ]
    if let idToken { body["idToken"] = .string(idToken) }
    if !creates { body["autoCreate"] = false }
    return accounts("signInWithIdp", body)
  }

  func delete(_ idToken: String) -> HTTPRequest {
    accounts("delete", ["idToken": .string(idToken)])
  }

  func renewal(_ refreshToken: String) -> HTTPRequest {
    let form = "grant_type=refresh_token&refresh_token=\(PercentEncoding.encode(refreshToken))"
    return post(
      "securetoken.googleapis.com/v1/token", "application/x-www-form-urlencoded",
      Array(form.utf8))
  }

  private func accounts(_ method: String, _ object: JSONObject) -> HTTPRequest {
    var body: [UInt8] = []
    object.write(to: &body)
    return post("identitytoolkit.googleapis.com/v1/accounts:\(method)", "application/json", body)
  }

  private func post(_ path: String, _ type: String, _ body: [UInt8]) -> HTTPRequest {
    let base = emulator.map { "http://\($0)/" } ?? "https://"
    var request = HTTPRequest(
      "POST", "\(base)\(path)?key=\(PercentEncoding.encode(apiKey))",
      headers: [HTTPHeader("Content-Type", type)], body: body)
    request.limits.bodyBytes = 1 << 20
    return request
  }
}

/// The tokens of an answer.
struct FirebaseTokens: Sendable {
  let idToken: IDToken
  let refreshToken: String
  /// How long the ID token is valid.
  let seconds: Int64

  /// Reads an answer in either spelling; nil for one without tokens.
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
    (self.idToken, self.refreshToken, self.seconds) = (idToken, refreshToken, seconds)
  }
}
