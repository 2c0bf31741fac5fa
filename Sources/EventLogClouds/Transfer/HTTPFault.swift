/// Why a request didn't get a complete response.
package enum HTTPFault: Error, Hashable {
  /// The host is unknown, or refuses the connection.
  case unreachable(String)
  /// The server was silent for too long, or the exchange took too long.
  case timedOut
  /// The connection ended before the end of the response.
  case connectionLost(String)
  /// The response isn't TLS.
  case unencrypted(String)
  /// The server failed to prove its identity.
  case untrusted(String)
  /// The response is longer than the request allows.
  case tooLarge
  /// The response isn't HTTP.
  case malformed(String)
  /// This system can't send requests.
  case unavailable(String)
  /// The request is invalid, for example because its URL contains a space.
  case invalidRequest
  /// The task was canceled.
  case canceled
}
