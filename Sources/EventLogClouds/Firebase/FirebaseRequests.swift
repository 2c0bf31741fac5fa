import EventLog

/// Encodes the requests to Firebase Auth.
struct FirebaseRequests: Sendable {
  let apiKey: String
  /// `HOST:PORT` of an emulator.
  let emulator: String?

  /// A request for an anonymous user. It isn't idempotent: each request creates another user.
  func signUp() -> HTTPRequest {
    var request = accounts("signUp", ["returnSecureToken": true])
    request.isIdempotent = false
    return request
  }

  /// A request to add an e-mail address and a password to a user.
  ///
  /// It uses `signUp`, because projects with e-mail enumeration protection refuse `update`.
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

  /// - Parameter idToken: The token of the user to link the identity to, or nil to sign in.
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
