/// A request to a server, as it is sent.
package struct HTTPRequest: Sendable {
  /// `GET`, or what else the server understands.
  package var method: String
  /// The address, with `%` before what may not stand in it.
  package var url: String
  package var headers: [HTTPHeader]
  package var body: [UInt8]
  package var limits: HTTPLimits
  /// Whether sending it again, after it may have been carried out, would do it twice.
  package var isSentOnce = false

  package init(
    _ method: String, _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
    limits: HTTPLimits = HTTPLimits()
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.limits) = (body, limits)
  }

  /// How long no byte may move in either direction.
  ///
  /// A slow link may still carry bytes that the system has taken already: 4 KiB/s is enough.
  package var silenceMax: Duration {
    limits.idle + .seconds(min(body.count, Self.bufferedBytesMax) >> 12)
  }
  #if canImport(Darwin)
    private static let bufferedBytesMax = Int.max
  #else
    /// Linux doubles the size that the transport asks for.
    private static let bufferedBytesMax = 128 << 10
  #endif
  /// How long the exchange may take.
  ///
  /// A slow link is no fault while bytes move: 1 KiB/s is enough for a body. Most answers are much
  /// shorter than their limit.
  package var durationMax: Duration {
    limits.whole ?? .seconds(180 + body.count >> 10 + limits.bodyBytes >> 14)
  }

  /// Whether the parts are what a request consists of. A line end in one of them would begin
  /// another header.
  var isSound: Bool {
    func isPlain(_ text: String, _ lowest: UInt8) -> Bool {
      text.utf8.allSatisfy { $0 >= lowest && $0 < 0x7F }
    }
    return isPlain(method, 0x21) && isPlain(url, 0x21)
      && headers.allSatisfy { isPlain($0.name, 0x21) && isPlain($0.value, 0x20) }
  }
}

/// A header of a request or an answer.
package struct HTTPHeader: Sendable, Hashable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// What an exchange may take.
package struct HTTPLimits: Sendable {
  /// How long a server may take to connect, or to begin its answer to a short request.
  package var idle = Duration.seconds(15)
  /// How long all of it may take, unless that follows from the sizes.
  package var whole: Duration?
  /// The size of an answer's body, in bytes.
  package var bodyBytes = 8 << 20
  /// The size of an answer's head, in bytes.
  package var headBytes = 64 << 10

  package init() {}
}
