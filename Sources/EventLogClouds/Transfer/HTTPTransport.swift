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
