/// Sends a request and waits for its answer.
///
/// An answer is whole: what was cut, or is longer than the request allows, is a fault. Redirects
/// are not followed, so that what a request carries goes where it was meant to. No proxy of the
/// environment is used, and nothing is kept of an answer.
package protocol HTTPTransport: Sendable {
  /// - Throws: why there is no whole answer. The server may have acted on the request.
  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer
}

/// Why a request has no answer.
package enum HTTPFault: Error, Hashable {
  /// No connection: the host is unknown, or refuses.
  case unreachable(String)
  /// Nothing came for too long, or all of it took too long.
  case timedOut
  /// The connection ended before the end of the answer.
  case cut(String)
  /// What came is not TLS.
  case unencrypted(String)
  /// The server could not prove who it is.
  case untrusted(String)
  /// The answer is longer than the request allows.
  case tooLong
  /// What came is not HTTP.
  case senseless(String)
  /// Nothing here can send requests.
  case unavailable(String)
  /// The request itself is not one, such as for an address with a space.
  case invalidRequest
  /// The task was cancelled.
  case cancelled
}
