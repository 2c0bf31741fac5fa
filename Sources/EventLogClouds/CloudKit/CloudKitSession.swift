import EventLog

/// Sends the requests of a session, one after the other: each carries the token that the answer
/// before it has brought, and the next one is stored before an answer is used.
actor CloudKitSession {
  /// The header of an answer that brings the next token.
  static let header = "X-Apple-CloudKit-Web-Auth-Token"

  private let credentials: CloudKitCredentials
  /// The token of the last request.
  private var sent: CloudKitSecret?
  /// A token that could not be stored yet.
  private var unstored: CloudKitSecret?
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ credentials: CloudKitCredentials) { self.credentials = credentials }

  /// Signs a request, sends it, and stores the token that comes with the answer.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer {
    await enter()
    defer { leave() }
    if let unstored { try await store(unstored) }
    let token = try await token()
    sent = token
    var signed = request
    signed.url +=
      "?ckAPIToken=\(PercentEncoding.encode(credentials.apiToken.value))"
      + "&ckWebAuthToken=\(PercentEncoding.encode(token.value))"
    let answer = try await Self.send(signed, over: transport)
    if let next = answer.header(Self.header), !next.isEmpty {
      try await store(CloudKitSecret(next))
    }
    return answer
  }

  /// Whether there is another token than the last request had: another process may have stored one.
  func hasAnotherToken() async throws(CloudFailure) -> Bool {
    await enter()
    defer { leave() }
    return try await token() != sent
  }

  /// An exchange that has begun is finished: with it, a canceled task would lose the next token.
  private static func send(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer {
    let exchange = Task { () -> Result<HTTPAnswer, HTTPFault> in
      do throws(HTTPFault) { return .success(try await transport.send(request)) } catch {
        return .failure(error)
      }
    }
    switch await exchange.value {
    case .success(let answer): return answer
    case .failure(let fault):
      var failure = CloudFailure(fault)
      // A library may name the address, which holds the tokens.
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
      throw CloudFailure(.signIn, "nobody is signed in", hint: "Sign in to iCloud.")
    }
    return CloudKitSecret(token)
  }

  private func store(_ token: CloudKitSecret) async throws(CloudFailure) {
    unstored = token
    do throws(EventLogError) { try await credentials.store(token.value) } catch {
      throw CloudFailure(
        .again, "the token for the next request could not be stored",
        hint: error.hint ?? error.message)
    }
    unstored = nil
  }

  // MARK: - One at a time

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

/// Texts of others, made fit to be shown.
enum CloudKitText {
  /// Leaves out words that are as long as tokens are, such as an address with one.
  static func withoutSecrets(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.utf8.count > 48 ? "…" : $0 }.joined(separator: " ")
  }
}
