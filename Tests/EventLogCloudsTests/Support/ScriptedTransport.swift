import EventLogClouds

/// A transport that responds to each request with a closure, and counts the requests.
struct ScriptedTransport: HTTPTransport {
  let counter = CallCounter()
  let response: @Sendable (HTTPRequest) -> HTTPResponse

  /// The number of requests so far.
  var requestCount: Int { counter.value }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    _ = counter.next()
    return response(request)
  }
}
