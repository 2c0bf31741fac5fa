package import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The sign-in to Firestore in a terminal.
///
/// Each user of each project has a separate sign-in, so several can be stored.
package struct FirestoreLogin: Sendable {
  private let project: String
  /// The expected user, or nil for any user.
  private let user: String?
  private let environment: CloudEnvironment
  private let client: CloudClient

  package init(
    project: String, user: String?, _ environment: CloudEnvironment,
    _ client: CloudClient? = nil
  ) {
    (self.project, self.user) = (project, user)
    (self.environment, self.client) = (environment, client ?? environment.client())
  }

  /// `HOST:PORT` of Firebase Auth's emulator, which has its own users.
  private var emulator: String? { environment.variable("FIREBASE_AUTH_EMULATOR_HOST") }

  private func name(_ user: String) -> String {
    "firestore/\(project)/\(user)" + (emulator.map { "@\($0)" } ?? "")
  }

  // MARK: - Signing in

  /// Signs in with an e-mail address and a password, and stores the sign-in.
  package func signIn(
    email: String, password: String
  ) async throws(EventLogError) -> FirebaseUser {
    try await signIn { (auth) throws(EventLogError) in
      try await auth.signIn(email: email, password: password)
    }
  }

  /// Creates an anonymous user, and stores the sign-in.
  ///
  /// If the store isn't writable, no user is created. But if the response is lost or the store
  /// fails later, a user without data remains in the project.
  package func signInAnonymously() async throws(EventLogError) -> FirebaseUser {
    try await signIn { (auth) throws(EventLogError) in try await auth.signInAnonymously() }
  }

  private func signIn(
    _ body: @Sendable (FirebaseAuth) async throws(EventLogError) -> FirebaseUser
  ) async throws(EventLogError) -> FirebaseUser {
    let store = try environment.requiredCredentialStore()
    // The request may create a user. Without a stored sign-in, no later request can sign in as that
    // user.
    try await store.checkWriting()
    // The name in the store contains the user's ID, which is in the response.
    let (response, name) = (MemoryCredentialStore(), "answer")
    let user = try await body(
      FirebaseAuth(
        project: project, apiKey: try apiKey(), credentials: response, emulator: emulator,
        name: name, client: client, clock: .system))
    if let wanted = self.user, wanted != user.id {
      throw EventLogError(
        .otherUser,
        "This is the sign-in of \"\(SafeText.quote(user.id))\", not of"
          + " \"\(SafeText.quote(wanted))\". Nothing was stored.",
        hint: "Use firestore://\(SafeText.quote(project))/\(SafeText.quote(user.id)).")
    }
    if let secret = try await response.load(name) {
      try await store.save(secret, as: self.name(user.id))
    }
    return user
  }

  private func apiKey() throws(EventLogError) -> String {
    if let key = environment.variable("FIREBASE_API_KEY") { return key }
    // Emulators accept any key.
    if emulator != nil { return "emulator" }
    throw EventLogError(
      .usage, "FIREBASE_API_KEY is not set. Nothing was changed.",
      hint: "Firebase wants to know a project by its web API key: the Firebase console shows it in"
        + " the project's settings. It is no secret.")
  }

  /// Removes the stored sign-in of the user.
  ///
  /// - Returns: Whether there was one.
  package func forget(_ user: String) async throws(EventLogError) -> Bool {
    try await environment.requiredCredentialStore().forget(name(user))
  }

  // MARK: - Tokens

  /// A closure that returns ID tokens of the user.
  var tokens: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String {
    guard let user, let store = environment.credentialStore else {
      return { (_) throws(EventLogError) in
        _ = try environment.requiredCredentialStore()
        return ""
      }
    }
    let auth = FirebaseAuth(
      project: project, apiKey: nil, credentials: store, emulator: emulator, name: name(user),
      client: client, clock: .system)
    return auth.tokens(of: user)
  }

  /// Returns a closure with an unsigned token, which only an emulator accepts.
  static func emulatorTokens(
    project: String, user: String
  ) -> @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String {
    var claims: [UInt8] = []
    let object: JSONObject = [
      "sub": .string(user), "user_id": .string(user), "aud": .string(project),
      "iss": .string("https://securetoken.google.com/\(project)"), "iat": 0,
      "exp": 4_102_444_800, "auth_time": 0,
    ]
    object.write(to: &claims)
    let token =
      base64URL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8)) + "." + base64URL(claims) + "."
    return { _ in token }
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
