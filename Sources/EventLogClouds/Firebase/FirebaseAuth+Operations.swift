import EventLog

extension FirebaseAuth {
  // MARK: - Serialization

  /// Runs an operation after all earlier ones have ended.
  ///
  /// It continues even if the caller is canceled, so that tokens in the response are stored.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let done = await unlessCancelled {
      await self.serially { () async -> Result<Value, EventLogError> in
        do throws(EventLogError) { return .success(try await body()) } catch {
          return .failure(error)
        }
      }
    }
    guard let done else { throw Self.canceled }
    return try done.get()
  }

  private func serially<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    let before = lastOperation
    let work = Task {
      await before?.value
      return await body()
    }
    lastOperation = Task { _ = await work.value }
    return await work.value
  }

  private static var canceled: EventLogError {
    EventLogError(
      .canceled, "The task was canceled. A request that is under way may still sign in or out.")
  }

  // MARK: - Tokens

  /// Returns an ID token of the user. It isn't the rejected one.
  func idToken(
    of user: String, otherThan rejected: String?
  ) async throws(EventLogError) -> String {
    if let session, session.isFresh(at: clock.now()), session.token.text != rejected {
      return try checked(session.token, user)
    }
    let task = renewal ?? Task { await renewShared() }
    renewal = task
    guard let result = await unlessCancelled({ await task.value }) else { throw Self.canceled }
    return try checked(result.get(), user)
  }

  private func renewShared() async -> Result<IDToken, EventLogError> {
    let result = await serially { () async -> Result<IDToken, EventLogError> in
      do throws(EventLogError) { return .success(try await self.renew()) } catch {
        return .failure(error)
      }
    }
    renewal = nil
    return result
  }

  private func checked(_ token: IDToken, _ user: String) throws(EventLogError) -> String {
    guard token.user == user else {
      throw EventLogError(
        .signInNeeded,
        "Another user is signed in to the Firebase project \"\(SafeText.quote(project))\".",
        hint: "Sign in as the user whom the storage belongs to.")
    }
    return token.text
  }

  /// Returns the current token, renewed if it expires soon.
  private func freshToken() async throws(EventLogError) -> IDToken {
    if let session, session.isFresh(at: clock.now()) { return session.token }
    return try await renew()
  }

  /// Renews the stored sign-in.
  private func renew() async throws(EventLogError) -> IDToken {
    var credential = try await requiredCredential()
    let tokens: FirebaseTokens
    do throws(CloudFailure) {
      tokens = try await renewed(credential)
    } catch {
      // Another process may have renewed the sign-in and stored a new refresh token.
      guard error.kind == .unauthenticated, let newer = try await stored(), newer != credential
      else {
        throw self.error(error, "Renewing the sign-in")
      }
      credential = newer
      do throws(CloudFailure) { tokens = try await renewed(newer) } catch {
        throw self.error(error, "Renewing the sign-in")
      }
    }
    _ = try await save(tokens, replacing: credential)
    return tokens.idToken
  }

  private func renewed(
    _ credential: FirebaseCredential
  ) async throws(CloudFailure) -> FirebaseTokens {
    let requests = requests(credential)
    return try await exchange(requests.renewal(credential.refreshToken), for: credential.user)
  }

  // MARK: - Users

  func signIn(
    _ operation: String, _ request: @Sendable (FirebaseRequests) -> HTTPRequest
  ) async throws(EventLogError) -> FirebaseUser {
    let tokens: FirebaseTokens
    do throws(CloudFailure) { tokens = try await exchange(request(requests(nil))) } catch {
      throw self.error(error, operation)
    }
    return try await save(tokens, replacing: nil)
  }

  /// - Parameters:
  ///   - codes: The error codes with which a retry fails if the response to the first request was
  ///     lost.
  ///   - check: Returns a request to sign in as the linked user.
  func link(
    _ request: @Sendable (FirebaseRequests, _ idToken: String) -> HTTPRequest,
    onCodes codes: Set<String>, check: @Sendable (FirebaseRequests) -> HTTPRequest
  ) async throws(EventLogError) -> FirebaseUser {
    let token = try await freshToken()
    let credential = try await requiredCredential()
    let requests = requests(credential)
    let tokens: FirebaseTokens
    do throws(CloudFailure) {
      tokens = try await exchange(request(requests, token.text), for: token.user)
    } catch {
      guard let code = error.serviceCode, codes.contains(code),
        let linked = try? await exchange(check(requests), for: token.user)
      else {
        throw self.error(error, "Linking the user")
      }
      return try await save(linked, replacing: credential)
    }
    return try await save(tokens, replacing: credential)
  }

  func delete() async throws(EventLogError) {
    let token = try await freshToken()
    let requests = requests(try await requiredCredential())
    do throws(CloudFailure) { _ = try await send(requests.delete(token.text)) } catch {
      // An earlier request whose response was lost may have deleted the user already.
      guard error.serviceCode == "USER_NOT_FOUND" else {
        throw self.error(error, "Deleting the user")
      }
    }
    try await forget()
  }

  func forget() async throws(EventLogError) {
    try await credentials.remove(name)
    session = nil
  }

  // MARK: - Stored sign-in

  /// Returns the stored sign-in, or nil if there is none.
  func stored() async throws(EventLogError) -> FirebaseCredential? {
    guard let bytes = try await credentials.load(name) else { return nil }
    guard let credential = FirebaseCredential(bytes), credential.project == project else {
      throw EventLogError(
        .inputOutput,
        "The stored sign-in to the Firebase project \"\(SafeText.quote(project))\" can't be read."
          + " Nothing was changed.", hint: "Sign out, then sign in again.")
    }
    return credential
  }

  private func requiredCredential() async throws(EventLogError) -> FirebaseCredential {
    guard let credential = try await stored() else {
      throw EventLogError(
        .signInNeeded,
        "Nobody is signed in to the Firebase project \"\(SafeText.quote(project))\".",
        hint: "Sign in again: nothing is stored of an earlier sign-in.")
    }
    return credential
  }

  /// Stores a sign-in. The ID token isn't used before the refresh token is stored.
  private func save(
    _ tokens: FirebaseTokens, replacing old: FirebaseCredential?
  ) async throws(EventLogError) -> FirebaseUser {
    let credential = FirebaseCredential(
      project: project, user: tokens.idToken.user, isAnonymous: tokens.idToken.isAnonymous,
      refreshToken: tokens.refreshToken, apiKey: apiKey ?? old?.apiKey ?? "")
    if credential != old { try await credentials.save(credential.bytes, as: name) }
    session = FirebaseSession(tokens, at: clock.now())
    return credential.firebaseUser
  }

  // MARK: - Requests

  private func requests(_ credential: FirebaseCredential?) -> FirebaseRequests {
    FirebaseRequests(apiKey: apiKey ?? credential?.apiKey ?? "", emulator: emulator)
  }

  private func send(_ request: HTTPRequest) async throws(CloudFailure) -> JSONValue {
    let service = FirebaseService()
    let (kind, response) = try await client.send(request, to: service)
    guard kind == .success else { throw service.failure(.misconfigured, response) }
    guard let body = try? JSONValue(parsing: response.body) else {
      throw CloudFailure(.malformed, "its answer makes no sense")
    }
    return body
  }

  /// Sends a request, and returns the tokens of the response.
  ///
  /// - Parameter user: The expected user of the tokens, or nil for any user.
  private func exchange(
    _ request: HTTPRequest, for user: String? = nil
  ) async throws(CloudFailure) -> FirebaseTokens {
    let body = try await send(request)
    if let refusal = FirebaseService.refusal(body) { throw refusal }
    guard let tokens = FirebaseTokens(body) else {
      throw CloudFailure(.malformed, "its answer makes no sense")
    }
    guard tokens.idToken.project == project else {
      throw CloudFailure(
        .misconfigured, "the API key is that of another project",
        hint: "Check the project's ID and its web API key.")
    }
    guard tokens.idToken.user == user ?? tokens.idToken.user else {
      throw CloudFailure(.malformed, "its answer is about another user")
    }
    return tokens
  }

  private func error(_ failure: CloudFailure, _ operation: String) -> EventLogError {
    FirebaseService.error(failure, operation, project)
  }
}

extension FirebaseCredential {
  var firebaseUser: FirebaseUser { FirebaseUser(id: user, isAnonymous: isAnonymous) }
}
