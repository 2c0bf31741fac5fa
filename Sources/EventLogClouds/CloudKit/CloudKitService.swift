import EventLog

/// The authentication and the error codes of CloudKit Web Services.
struct CloudKitService: CloudService {
  private let session: CloudKitSession

  init(_ credentials: CloudKitCredentials) { session = CloudKitSession(credentials) }

  /// Returns the request unchanged, because the session signs it.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest { request }

  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse {
    try await session.exchange(request, over: transport)
  }

  func refresh() async throws(CloudFailure) -> Bool { try await session.hasNewerToken() }

  /// The error code of a response.
  ///
  /// If the response has a result for each record, it is that of the first error that affects the
  /// whole request.
  func errorCode(of response: HTTPResponse) -> String? { problem(of: response)?.code }

  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    let problem = problem(of: response)
    return CloudFailure(
      kind, problem?.text ?? "it answered \(response.status)", serviceCode: problem?.code,
      retryAfter: problem?.retryAfter ?? response.retryAfter)
  }

  private func problem(of response: HTTPResponse) -> CloudKitProblem? {
    // Parsing is slow for a large object, so skip it if there can't be an error.
    guard response.status >= 300 || response.body.containsBytes(of: CloudKitProblem.key),
      let body = try? JSONValue(parsing: response.body)
    else { return nil }
    if let problem = CloudKitProblem(body) { return problem }
    return (body.list("records") + body.list("zones")).lazy.compactMap(CloudKitProblem.init)
      .first { $0.affectsWholeRequest }
  }
}
