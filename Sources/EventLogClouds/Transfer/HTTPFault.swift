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
