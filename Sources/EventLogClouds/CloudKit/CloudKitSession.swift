import EventLog

/// Sends the requests of a session one at a time.
///
/// Each request contains the token from the previous response. The next token is stored before the
/// response is used.
actor CloudKitSession {
  /// The response header with the next token.
  static let header = "X-Apple-CloudKit-Web-Auth-Token"

  private let credentials: CloudKitCredentials
  /// The token of the last request.
  private var sent: CloudKitSecret?
  /// A token that couldn't be stored yet.
  private var unstored: CloudKitSecret?
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ credentials: CloudKitCredentials) { self.credentials = credentials }

  /// Signs and sends a request, and stores the token from the response.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse {
    await enter()
    defer { leave() }
    if let unstored { try await store(unstored) }
    let token = try await token()
    sent = token
    var signed = request
    signed.url +=
      "?ckAPIToken=\(PercentEncoding.encode(credentials.apiToken.value))"
      + "&ckWebAuthToken=\(PercentEncoding.encode(token.value))"
    let response = try await Self.send(signed, over: transport)
    if let next = response.header(Self.header), !next.isEmpty {
      try await store(CloudKitSecret(next))
    }
    return response
  }

  /// Whether the stored token differs from that of the last request, because another process has
  /// stored one.
  func hasNewerToken() async throws(CloudFailure) -> Bool {
    await enter()
    defer { leave() }
    return try await token() != sent
  }

  /// Completes an exchange even if the task is canceled, because the next token would be lost
  /// otherwise.
  private static func send(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse {
    let exchange = Task { () -> Result<HTTPResponse, HTTPFault> in
      do throws(HTTPFault) { return .success(try await transport.send(request)) } catch {
        return .failure(error)
      }
    }
    switch await exchange.value {
    case .success(let response): return response
    case .failure(let fault):
      var failure = CloudFailure(fault)
      // The reason may contain the URL, which contains the tokens.
      failure.reason = CloudKitText.withoutSecrets(failure.reason)
      throw failure
    }
  }

  private func token() async throws(CloudFailure) -> CloudKitSecret {
    let token: String?
    do throws(EventLogError) { token = try await credentials.load() } catch {
      throw CloudFailure(withoutToken: error)
    }
    guard let token, !token.isEmpty else {
      throw CloudFailure(.unauthenticated, "nobody is signed in", hint: "Sign in to iCloud.")
    }
    return CloudKitSecret(token)
  }

  private func store(_ token: CloudKitSecret) async throws(CloudFailure) {
    unstored = token
    do throws(EventLogError) { try await credentials.store(token.value) } catch {
      throw CloudFailure(
        .transient, "the token for the next request could not be stored",
        hint: error.hint ?? error.message)
    }
    unstored = nil
  }

  // MARK: - Serialization

  private func enter() async {
    guard isBusy else {
      isBusy = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func leave() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }
}
