package import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a person at a terminal signs in to Firestore, and stays signed in.
///
/// Each user of each project has a sign-in of its own: several can be kept.
package struct FirestoreLogin: Sendable {
  private let project: String
  /// The user who is or has to be signed in; nil where Firebase tells who it is.
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

  /// `HOST:PORT` of Firebase Auth's emulator, whose users are others than the real ones.
  private var emulator: String? { environment.variable("FIREBASE_AUTH_EMULATOR_HOST") }

  private func name(_ user: String) -> String {
    "firestore/\(project)/\(user)" + (emulator.map { "@\($0)" } ?? "")
  }

  // MARK: - Signing in

  /// Signs in by an e-mail address, and keeps that.
  package func signIn(
    email: String, password: String
  ) async throws(EventLogError) -> FirebaseUser {
    try await signIn { (auth) throws(EventLogError) in
      try await auth.signIn(email: email, password: password)
    }
  }

  /// Makes an anonymous user, and keeps the sign-in.
  ///
  /// The store is written to before Firebase is asked: where that fails, nobody is made. A user
  /// still stays in the project, without any data, if the answer is lost or the store fails later.
  package func signInAnonymously() async throws(EventLogError) -> FirebaseUser {
    try await signIn { (auth) throws(EventLogError) in try await auth.signInAnonymously() }
  }

  private func signIn(
    _ body: @Sendable (FirebaseAuth) async throws(EventLogError) -> FirebaseUser
  ) async throws(EventLogError) -> FirebaseUser {
    let store = try environment.signIns()
    // Firebase may make a user now, whom nobody could reach without what is stored.
    try await store.checkWriting()
    // Who it is, and so what the file is called, only the answer tells.
    let (answer, name) = (MemoryCredentialStore(), "answer")
    let user = try await body(
      FirebaseAuth(
        project: project, apiKey: try apiKey(), credentials: answer, emulator: emulator,
        name: name, client: client, clock: .system))
    if let wanted = self.user, wanted != user.id {
      throw EventLogError(
        .otherUser,
        "This is the sign-in of \"\(SafeText.quote(user.id))\", not of"
          + " \"\(SafeText.quote(wanted))\". Nothing was stored.",
        hint: "Use firestore://\(SafeText.quote(project))/\(SafeText.quote(user.id)).")
    }
    if let secret = try await answer.load(name) {
      try await store.save(secret, as: self.name(user.id))
    }
    return user
  }

  private func apiKey() throws(EventLogError) -> String {
    if let key = environment.variable("FIREBASE_API_KEY") { return key }
    // Emulators take any.
    if emulator != nil { return "emulator" }
    throw EventLogError(
      .usage, "FIREBASE_API_KEY is not set. Nothing was changed.",
      hint: "Firebase wants to know a project by its web API key: the Firebase console shows it in"
        + " the project's settings. It is no secret.")
  }

  /// Forgets the sign-in of the user.
  ///
  /// - Returns: whether there was one.
  package func forget(_ user: String) async throws(EventLogError) -> Bool {
    try await environment.signIns().forget(name(user))
  }

  // MARK: - Tokens

  /// Gives out tokens of the user.
  var tokens: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String {
    guard let user, let store = environment.credentials else {
      return { (_) throws(EventLogError) in
        _ = try environment.signIns()
        return ""
      }
    }
    let auth = FirebaseAuth(
      project: project, apiKey: nil, credentials: store, emulator: emulator, name: name(user),
      client: client, clock: .system)
    return auth.tokens(of: user)
  }

  /// Gives out a token without a signature: an emulator believes it, and nobody else.
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
