/// A request to a server.
package struct HTTPRequest: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The percent-encoded URL.
  package var url: String
  package var headers: [HTTPHeader]
  package var body: [UInt8]
  package var limits: HTTPLimits
  /// Whether the request can be retried, even if the server may have executed it.
  package var isIdempotent = true

  package init(
    _ method: String, _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
    limits: HTTPLimits = HTTPLimits()
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.limits) = (body, limits)
  }

  /// The maximum time without a byte in either direction.
  ///
  /// It includes the time to send the contents of the system's send buffer at 4 KiB/s.
  package var idleTimeout: Duration {
    limits.idle + .seconds(min(body.count, Self.bufferedBytesMax) >> 12)
  }
  #if canImport(Darwin)
    private static let bufferedBytesMax = Int.max
  #else
    /// Linux doubles the buffer size that the transport requests.
    private static let bufferedBytesMax = 128 << 10
  #endif
  /// The maximum duration of the exchange.
  ///
  /// A link may be slow: 1 KiB/s is enough for the request's body. The time for the response is one
  /// second for each 16 KiB of its limit, because most responses are much smaller.
  package var totalTimeout: Duration {
    limits.total ?? .seconds(180 + body.count >> 10 + limits.bodyBytes >> 14)
  }

  /// Whether the method, the URL and the headers contain only valid characters.
  ///
  /// A line break would start another header.
  var isValid: Bool {
    func isPlain(_ text: String, _ lowest: UInt8) -> Bool {
      text.utf8.allSatisfy { $0 >= lowest && $0 < 0x7F }
    }
    return isPlain(method, 0x21) && isPlain(url, 0x21)
      && headers.allSatisfy { isPlain($0.name, 0x21) && isPlain($0.value, 0x20) }
  }
}
