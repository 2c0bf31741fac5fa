import EventLog

/// The signing of requests and the names of errors of a service.
package protocol CloudService: Sendable {
  /// Adds the credentials to a request.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest
  /// Sends a signed request, once.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse
  /// Renews the credentials after the service has rejected them.
  ///
  /// - Returns: Whether there are new ones.
  func refresh() async throws(CloudFailure) -> Bool
  /// Renews the credentials after the service has rejected those in a request.
  func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool
  /// The class of an answer.
  func kind(of response: HTTPResponse) -> ResponseClass
  /// The service's own name for the error of an answer, or nil if the answer contains none.
  func errorCode(of response: HTTPResponse) -> String?
  /// The failure of an answer that is neither done, taken nor missing.
  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure
  /// Like `failure(_:_:)`, for a service whose failures depend on the request.
  func failure(_ kind: ResponseClass, _ response: HTTPResponse, to request: HTTPRequest)
    -> CloudFailure
}

extension CloudService {
  /// Sends the request, and keeps nothing of the answer for the next one.
  package func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse {
    do throws(HTTPFault) { return try await transport.send(request) } catch {
      throw CloudFailure(error)
    }
  }

  /// The class by the status, and by the error's name.
  package func kind(of response: HTTPResponse) -> ResponseClass {
    ResponseClass(status: response.status, code: errorCode(of: response))
  }

  /// Returns false, because there is nothing to renew.
  package func refresh() async throws(CloudFailure) -> Bool { false }

  /// Renews the credentials, even if those in the request were older.
  package func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool {
    try await refresh()
  }

  /// The failure with the status, the error's name, and the time to wait before a retry.
  package func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    let code = errorCode(of: response)
    let name = code.map { " (\(SafeText.quote($0)))" } ?? ""
    return CloudFailure(
      kind, "it answered \(response.status)\(name)", serviceCode: code,
      retryAfter: response.retryAfter)
  }

  /// The failure, which doesn't depend on the request.
  package func failure(
    _ kind: ResponseClass, _ response: HTTPResponse, to request: HTTPRequest
  ) -> CloudFailure { failure(kind, response) }

  /// The error of an answer whose status doesn't fit the request, even if it is that of a success.
  func error(
    of response: HTTPResponse, at address: String, isReading: Bool
  ) -> EventLogError {
    let failure =
      (200..<300).contains(response.status)
      ? CloudFailure.malformed(response) : failure(.misconfigured, response)
    return failure.error(at: address, isReading: isReading)
  }
}
