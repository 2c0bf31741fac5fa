import EventLog

/// The authentication and the errors of a kind of service.
package protocol CloudService: Sendable {
  /// Adds the credentials to a request.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest
  /// Sends a signed request, without retries.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse
  /// Renews the credentials after the service rejected them.
  ///
  /// - Returns: Whether the credentials have changed.
  func refresh() async throws(CloudFailure) -> Bool
  /// Renews the credentials after the service rejected those in a request.
  func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool
  /// Classifies a response.
  func kind(of response: HTTPResponse) -> ResponseClass
  /// Returns the service's own error code in a response, or nil if it contains none.
  func errorCode(of response: HTTPResponse) -> String?
  /// Returns the failure of an unexpected response.
  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure
  /// Like `failure(_:_:)`, for a service whose failures depend on the request.
  func failure(_ kind: ResponseClass, _ response: HTTPResponse, to request: HTTPRequest)
    -> CloudFailure
}

extension CloudService {
  /// Sends the request, without a state that later requests depend on.
  package func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPResponse {
    do throws(HTTPFault) { return try await transport.send(request) } catch {
      throw CloudFailure(error)
    }
  }

  /// Classifies a response by its status and error code.
  package func kind(of response: HTTPResponse) -> ResponseClass {
    ResponseClass(status: response.status, code: errorCode(of: response))
  }

  /// Returns false: by default, there is nothing to renew.
  package func refresh() async throws(CloudFailure) -> Bool { false }

  /// Renews the credentials, even if the request had older ones.
  package func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool {
    try await refresh()
  }

  /// Returns a failure with the status, the error code, and the requested delay.
  package func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    let code = errorCode(of: response)
    let name = code.map { " (\(SafeText.quote($0)))" } ?? ""
    return CloudFailure(
      kind, "it answered \(response.status)\(name)", serviceCode: code,
      retryAfter: response.retryAfter)
  }

  /// Returns the failure, which doesn't depend on the request.
  package func failure(
    _ kind: ResponseClass, _ response: HTTPResponse, to request: HTTPRequest
  ) -> CloudFailure { failure(kind, response) }

  /// Returns the error for a response whose status is unexpected, even if it is a success.
  func error(
    of response: HTTPResponse, at address: String, isReading: Bool
  ) -> EventLogError {
    let failure =
      (200..<300).contains(response.status)
      ? CloudFailure.malformed(response) : failure(.misconfigured, response)
    return failure.error(at: address, isReading: isReading)
  }
}
