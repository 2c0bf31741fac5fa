import EventLogClouds

/// The transport of this system, with short timeouts and a low limit on responses.
struct ImpatientTransport: HTTPTransport {
  static let bodyBytes = 4 << 20

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    var request = request
    request.limits.idle = .seconds(1)
    request.limits.total = .seconds(1)
    request.limits.bodyBytes = Self.bodyBytes
    return try await CurlTransport().send(request)
  }
}
