/// Sends a request and waits for its answer.
///
/// Answers are complete: a truncated answer, or one longer than the request allows, is a fault.
/// Redirects aren't followed, so that credentials go only to the intended server. The environment's
/// proxies aren't used, and answers aren't cached.
package protocol HTTPTransport: Sendable {
  /// - Throws: The reason for a missing or incomplete answer. The server may have acted on the
  ///   request.
  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse
}

/// The reason why a request has no answer.
package enum HTTPFault: Error, Hashable {
  /// The host is unknown, or refuses the connection.
  case unreachable(String)
  /// The server sent nothing for too long, or the whole answer took too long.
  case timedOut
  /// The connection ended before the end of the answer.
  case connectionLost(String)
  /// The answer isn't TLS.
  case unencrypted(String)
  /// The server couldn't prove its identity.
  case untrusted(String)
  /// The answer is longer than the request allows.
  case tooLarge
  /// The answer isn't HTTP.
  case malformed(String)
  /// This system can't send requests.
  case unavailable(String)
  /// The request is invalid, for example because its URL contains a space.
  case invalidRequest
  /// The task was canceled.
  case canceled
}
