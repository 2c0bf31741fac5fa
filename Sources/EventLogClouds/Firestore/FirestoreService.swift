import EventLog

/// The authentication and the error codes of Firestore.
struct FirestoreService: CloudService {
  private let tokens: TokenSource

  init(
    _ ask: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    clock: WallClock = .system
  ) {
    tokens = TokenSource(ask, clock)
  }

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    var request = request
    let token = try await tokens.token()
    request.headers.append(HTTPHeader("Authorization", Self.prefix + token))
    return request
  }

  func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool {
    let value = request.headers.first { $0.name == "Authorization" }?.value ?? ""
    return try await tokens.renew(String(value.dropFirst(Self.prefix.count)))
  }

  private static let prefix = "Bearer "

  /// The status of a `google.rpc.Status`: an object, or the first element of a stream.
  func word(of answer: HTTPAnswer) -> String? {
    guard answer.status >= 300, case .string(let word)? = error(answer)?["status"] else {
      return nil
    }
    return word
  }

  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    let word = word(of: answer)
    var failure = CloudFailure(
      kind, "it answered \(answer.status)" + (word.map { " (\(SafeText.quote($0)))" } ?? ""),
      word: word, retryAfter: answer.retryAfter)
    var message = ""
    if case .string(let text)? = error(answer)?["message"] { message = text }
    // A quota per minute or second isn't a daily one: a retry may succeed.
    if word == "RESOURCE_EXHAUSTED", message.contains("Quota exceeded"),
      !["per minute", "second"].contains(where: message.lowercased().contains)
    {
      failure.kind = .full
      failure.hint = "The project's daily quota is used up until midnight Pacific time."
    } else if word == "NOT_FOUND" {
      failure.kind = .wrong
      failure.hint = "Check the project's ID, and create its Firestore database."
    } else if word == "PERMISSION_DENIED" {
      failure.hint =
        "Check that this user is signed in, and that the project has the rules of"
        + " firestore.rules."
    }
    return failure
  }

  private func error(_ answer: HTTPAnswer) -> JSONValue? {
    guard let body = try? JSONValue(parsing: answer.body) else { return nil }
    if case .array(let rows) = body { return rows.first?["error"] }
    return body["error"]
  }
}

/// Requests a token once, and again before it expires or after it is rejected.
private actor TokenSource: Redacted {
  /// How long before expiry a token is no longer used.
  private static let marginMilliseconds: Int64 = 300_000

  private let ask: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  private let clock: WallClock
  private var current: String?
  /// The expiry time of the token, if it contains one.
  private var end = Int64.max

  init(
    _ ask: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    _ clock: WallClock
  ) {
    (self.ask, self.clock) = (ask, clock)
  }

  func token() async throws(CloudFailure) -> String {
    if let current, clock.now() < end - Self.marginMilliseconds { return current }
    return try await new(isRejected: false)
  }

  /// - Returns: Whether the token differs from the rejected one.
  func renew(_ rejected: String) async throws(CloudFailure) -> Bool {
    // Another request may have renewed it meanwhile.
    if let current, current != rejected { return true }
    return try await new(isRejected: true) != rejected
  }

  private func new(isRejected: Bool) async throws(CloudFailure) -> String {
    do throws(EventLogError) {
      let token = try await ask(isRejected)
      (current, end) = (token, IDToken(token)?.end ?? .max)
      return token
    } catch {
      throw CloudFailure(withoutToken: error)
    }
  }
}
