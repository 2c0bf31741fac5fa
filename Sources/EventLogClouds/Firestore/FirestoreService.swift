import EventLog

/// The authentication and the error codes of Firestore.
struct FirestoreService: CloudService {
  private let tokens: TokenSource

  init(
    _ load: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    clock: WallClock = .system
  ) {
    tokens = TokenSource(load, clock)
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

  /// The code of a `google.rpc.Status`, which is an object or the first element of a stream.
  func errorCode(of response: HTTPResponse) -> String? {
    guard response.status >= 300, case .string(let code)? = error(response)?["status"] else {
      return nil
    }
    return code
  }

  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    let code = errorCode(of: response)
    var failure = CloudFailure(
      kind, "it answered \(response.status)" + (code.map { " (\(SafeText.quote($0)))" } ?? ""),
      serviceCode: code, retryAfter: response.retryAfter)
    var message = ""
    if case .string(let text)? = error(response)?["message"] { message = text }
    // A quota per minute or second resets soon, so a retry may succeed.
    if code == "RESOURCE_EXHAUSTED", message.contains("Quota exceeded"),
      !["per minute", "second"].contains(where: message.lowercased().contains)
    {
      failure.kind = .quotaExceeded
      failure.hint = "The project's daily quota is used up until midnight Pacific time."
    } else if code == "NOT_FOUND" {
      failure.kind = .misconfigured
      failure.hint = "Check the project's ID, and create its Firestore database."
    } else if code == "PERMISSION_DENIED" {
      failure.hint =
        "Check that this user is signed in, and that the project has the rules of"
        + " firestore.rules."
    }
    return failure
  }

  private func error(_ response: HTTPResponse) -> JSONValue? {
    guard let body = try? JSONValue(parsing: response.body) else { return nil }
    if case .array(let rows) = body { return rows.first?["error"] }
    return body["error"]
  }
}

/// Caches a token until shortly before it expires, or until the server rejects it.
private actor TokenSource: Redacted {
  /// The time before its expiry from which a token is no longer used.
  private static let marginMilliseconds: Int64 = 300_000

  private let load: @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  private let clock: WallClock
  private var current: String?
  /// The expiry time of the token, if it contains one.
  private var expiry = Int64.max

  init(
    _ load: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    _ clock: WallClock
  ) {
    (self.load, self.clock) = (load, clock)
  }

  func token() async throws(CloudFailure) -> String {
    if let current, clock.now() < expiry - Self.marginMilliseconds { return current }
    return try await new(isRejected: false)
  }

  /// - Returns: Whether the token differs from the rejected one.
  func renew(_ rejected: String) async throws(CloudFailure) -> Bool {
    // Another request may have renewed it in the meantime.
    if let current, current != rejected { return true }
    return try await new(isRejected: true) != rejected
  }

  private func new(isRejected: Bool) async throws(CloudFailure) -> String {
    do throws(EventLogError) {
      let token = try await load(isRejected)
      (current, expiry) = (token, IDToken(token)?.expiry ?? .max)
      return token
    } catch {
      throw CloudFailure(withoutToken: error)
    }
  }
}
