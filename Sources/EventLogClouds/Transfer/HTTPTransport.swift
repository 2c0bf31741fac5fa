/// Sends a request and waits for its response.
///
/// A truncated response, or one larger than the request allows, is a fault. Redirects aren't
/// followed, so that credentials are sent only to the intended server. Proxies of the environment
/// aren't used, and responses aren't cached.
package protocol HTTPTransport: Sendable {
  /// - Throws: The reason for a missing or incomplete response. The server may have executed the
  ///   request.
  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse
}
