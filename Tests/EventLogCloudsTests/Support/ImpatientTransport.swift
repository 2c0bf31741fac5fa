import EventLogClouds

/// The transport of this system, with short deadlines and a low limit for answers.
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
