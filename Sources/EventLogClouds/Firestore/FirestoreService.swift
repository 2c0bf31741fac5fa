import EventLog

/// How Firestore wants to know who asks, and how it names errors.
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

  /// `google.rpc.Status`: an object, or the first of a stream.
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
    // What a minute had too much of, the next one takes.
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

/// A token that is asked for once, and again when it ends soon or is no longer accepted.
private actor TokenSource: Redacted {
  /// How long before its end a token is no longer used.
  private static let marginMilliseconds: Int64 = 300_000

  private let ask: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  private let clock: WallClock
  private var current: String?
  /// When the token ends, if it says so.
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

  /// - Returns: whether there is another token than the one that was not accepted.
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
