import EventLogClouds

/// A transport that responds to some requests with a closure, and forwards the others to a server.
struct ChangedTransport: HTTPTransport {
  let counter = CallCounter()
  private let base: any HTTPTransport
  private let response: @Sendable (HTTPRequest) async -> HTTPResponse?

  /// - Parameter response: Returns the response, or nil to forward the request.
  init(
    _ base: some HTTPTransport, _ response: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?
  ) {
    (self.base, self.response) = (base, response)
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    _ = counter.next()
    if let response = await response(request) { return response }
    return try await base.send(request)
  }
}
