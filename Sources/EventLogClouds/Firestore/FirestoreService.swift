import EventLog

/// How Firestore wants to know who asks, and how it names errors.
struct FirestoreService: CloudService {
  private let tokens: TokenSource

  init(_ ask: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String) {
    tokens = TokenSource(ask)
  }

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    var request = request
    let token = try await tokens.token()
    request.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
    return request
  }

  func refresh() async throws(CloudFailure) -> Bool { try await tokens.refresh() }

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
    if word == "RESOURCE_EXHAUSTED", message.contains("Quota exceeded") {
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

/// A token that is asked for once, and again when it is no longer accepted.
private actor TokenSource {
  private let ask: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  private var current: String?

  init(_ ask: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String) {
    self.ask = ask
  }

  func token() async throws(CloudFailure) -> String {
    if let current { return current }
    return try await new(isRejected: false)
  }

  /// - Returns: whether there is another one than before.
  func refresh() async throws(CloudFailure) -> Bool {
    let old = current
    return try await new(isRejected: true) != old
  }

  private func new(isRejected: Bool) async throws(CloudFailure) -> String {
    do throws(EventLogError) {
      let token = try await ask(isRejected)
      current = token
      return token
    } catch {
      throw CloudFailure(.signIn, "nobody is signed in", hint: error.hint ?? error.message)
    }
  }
}
