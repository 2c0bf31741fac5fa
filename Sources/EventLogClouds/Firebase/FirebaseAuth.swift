public import EventLog

/// Signs users of one Firebase project in, keeps them signed in, and provides their ID tokens.
///
/// It uses Firebase Auth over HTTPS and needs no SDK. One user at a time is signed in. Only the
/// data to renew the sign-in is kept, in a ``CredentialStore``. A sign-in that Firebase no longer
/// accepts stays stored, and each use of it throws `signInNeeded` until the user signs in again or
/// out: no other user is ever created in its place.
///
/// Requests that fail temporarily are retried. No error, description or file other than the stored
/// secret contains a token, a password or an e-mail address.
public actor FirebaseAuth: CustomReflectable {
  let project: String
  let name: String
  let apiKey: String?
  let emulator: String?
  let credentials: any CredentialStore
  let client: CloudClient
  let clock: WallClock

  /// The current ID token.
  var session: FirebaseSession?
  /// The renewal in progress. All callers that need a token share it.
  var renewal: Task<Result<IDToken, EventLogError>, Never>?
  /// The operation that was started last. The next one waits for it.
  var lastOperation: Task<Void, Never>?

  /// Creates the authentication for a project, without sending or reading anything yet.
  ///
  /// Use one for each project in a process.
  ///
  /// - Parameters:
  ///   - project: The ID of the Firebase project.
  ///   - apiKey: The project's web API key, which identifies the project and isn't secret.
  ///   - credentials: The store for the sign-in, under the name `firebase/PROJECT`.
  ///   - emulator: `HOST:PORT` of the Firebase Auth emulator, or `nil` for the real service. The
  ///     name then ends in `@HOST:PORT`.
  public init(
    project: String, apiKey: String, credentials: any CredentialStore, emulator: String? = nil
  ) {
    self.init(
      project: project, apiKey: apiKey, credentials: credentials, emulator: emulator,
      name: "firebase/\(project)" + (emulator.map { "@\($0)" } ?? ""),
      client: CloudClient(.system), clock: .system)
  }

  /// - Parameters:
  ///   - apiKey: The key, or nil for the key that is stored with the sign-in.
  ///   - name: The name of the sign-in in the credential store.
  package init(
    project: String, apiKey: String?, credentials: any CredentialStore, emulator: String?,
    name: String, client: CloudClient, clock: WallClock
  ) {
    (self.project, self.apiKey, self.emulator, self.name) = (project, apiKey, emulator, name)
    (self.credentials, self.client, self.clock) = (credentials, client, clock)
  }

  /// A mirror without children, so that no token is shown.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

  // MARK: - Signing in

  /// Returns the signed-in user, or `nil` if there is none, without sending a request.
  ///
  /// - Throws: The errors of the credential store; `inputOutput` if the stored data isn't a
  ///   sign-in.
  public func currentUser() async throws(EventLogError) -> FirebaseUser? {
    try await perform { () async throws(EventLogError) in try await self.stored()?.firebaseUser }
  }

  /// Returns the signed-in user, or creates an anonymous one if there is none.
  ///
  /// Call it at each launch: only the first call sends a request. If Firebase's response is lost,
  /// or the app ends or the store fails before it is stored, the next call creates another user.
  /// The first one then stays in the project without any data. The request is retried automatically
  /// only if Firebase wasn't reached, or answered that it did nothing.
  ///
  /// - Throws: `wrongAddress` if the API key is wrong or the project allows no anonymous users;
  ///   `remoteFailed` if there is no response; and the errors of the store. No user is signed in
  ///   then.
  public func signInAnonymously() async throws(EventLogError) -> FirebaseUser {
    try await perform { () async throws(EventLogError) in
      if let credential = try await self.stored() { return credential.firebaseUser }
      return try await self.signIn("Making an anonymous user") { $0.signUp() }
    }
  }

  /// Signs in with an e-mail address and a password, replacing the previous sign-in.
  ///
  /// An anonymous user who was signed in can't be signed in again: link or delete that user first.
  /// A call that fails changes nothing.
  ///
  /// - Throws: `signInNeeded` if the address or the password is wrong; `accessDenied` if the user
  ///   needs a second factor; otherwise as ``signInAnonymously()``.
  public func signIn(
    email: String, password: String
  ) async throws(EventLogError) -> FirebaseUser {
    try await perform { () async throws(EventLogError) in
      try await self.signIn("Signing in") { $0.signIn(email: email, password: password) }
    }
  }

  /// Signs in with the identity of another provider, replacing the previous sign-in.
  ///
  /// If no user of the project has that identity, Firebase creates one. An anonymous user who was
  /// signed in can't be signed in again: link or delete that user first. A call that fails changes
  /// nothing.
  ///
  /// - Throws: `accountExists` if the e-mail address belongs to an account that signs in in another
  ///   way: sign in as that user, then link. `signInNeeded` if the identity isn't accepted;
  ///   otherwise as ``signIn(email:password:)``.
  public func signIn(with identity: FirebaseIdentity) async throws(EventLogError) -> FirebaseUser {
    try await perform { () async throws(EventLogError) in
      try await self.signIn("Signing in") { $0.signIn(identity) }
    }
  }

  // MARK: - Linking

  /// Adds an e-mail address and a password to the signed-in user.
  ///
  /// The user's ID stays the same, so all data stays in place. It is safe to repeat a call whose
  /// response was lost.
  ///
  /// - Throws: `accountExists` if the address belongs to another user, `invalidInput` if the
  ///   address or the password is refused, `signInNeeded` if no user is signed in or the sign-in is
  ///   too old. The same user then stays signed in, unlinked.
  public func link(email: String, password: String) async throws(EventLogError) -> FirebaseUser {
    try await perform { () async throws(EventLogError) in
      try await self.link(
        { $0.link($1, email: email, password: password) },
        // The new password invalidates earlier tokens.
        onCodes: ["EMAIL_EXISTS", "TOKEN_EXPIRED"],
        check: { $0.signIn(email: email, password: password) })
    }
  }

  /// Adds the identity of another provider to the signed-in user.
  ///
  /// The user's ID stays the same, so all data stays in place. It is safe to repeat a call whose
  /// response was lost.
  ///
  /// - Throws: `accountExists` if the identity, or its e-mail address, belongs to another user; an
  ///   app then offers to sign in as that user. `signInNeeded` if no user is signed in or the
  ///   identity isn't accepted. The same user then stays signed in, unlinked.
  public func link(with identity: FirebaseIdentity) async throws(EventLogError) -> FirebaseUser {
    try await perform { () async throws(EventLogError) in
      try await self.link(
        { $0.signIn(identity, linkedTo: $1) }, onCodes: ["FEDERATED_USER_ID_ALREADY_LINKED"],
        check: { $0.signIn(identity, creates: false) })
    }
  }

  // MARK: - Deletion and signing out

  /// Deletes the signed-in user from the project, and removes the stored sign-in.
  ///
  /// The user's objects in Firestore stay: remove them first. If the app ends after Firebase's
  /// response and before the removal, the sign-in stays stored and is no longer accepted.
  ///
  /// - Throws: `signInNeeded` if no user is signed in or the last sign-in is too long ago. The user
  ///   then still exists.
  public func deleteUser() async throws(EventLogError) {
    try await perform { () async throws(EventLogError) in
      try await self.delete()
    }
  }

  /// Removes the stored sign-in, without sending a request.
  ///
  /// An anonymous user can't be signed in again after that.
  ///
  /// - Throws: The errors of the store. The user is then still signed in.
  public func signOut() async throws(EventLogError) {
    try await perform { () async throws(EventLogError) in try await self.forget() }
  }

  // MARK: - Tokens

  /// Returns a closure that provides a ``FirestoreStorage`` with the ID tokens of one user.
  ///
  /// Tokens are renewed five minutes before they expire, and after one was rejected. Callers that
  /// need a new one at the same time share one request.
  ///
  /// The closure throws `signInNeeded` if no user or another user is signed in, or if Firebase no
  /// longer accepts the sign-in; and `remoteFailed` if there is no response.
  ///
  /// - Parameter user: The ID of the user whom the storage belongs to.
  public nonisolated func tokens(
    of user: String
  ) -> @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String {
    let last = LastToken()
    return { (isRejected) async throws(EventLogError) -> String in
      let token = try await self.idToken(of: user, otherThan: isRejected ? last.text : nil)
      last.text = token
      return token
    }
  }
}
