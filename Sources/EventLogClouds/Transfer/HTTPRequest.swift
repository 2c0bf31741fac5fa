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
  /// How long nothing may come before it counts as lost.
  package var idle = Duration.seconds(30)
  /// How long all of it may take.
  package var whole = Duration.seconds(180)
  /// The size of an answer's body, in bytes.
  package var bodyBytes = 8 << 20
  /// The size of an answer's head, in bytes.
  package var headBytes = 64 << 10

  package init() {}
}
