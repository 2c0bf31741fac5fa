/// The limits of an exchange.
package struct HTTPLimits: Sendable {
  /// The maximum time to connect, or until a server begins its answer to a short request.
  package var idle = Duration.seconds(15)
  /// The maximum time of the whole exchange, or nil to derive it from the sizes.
  package var total: Duration?
  /// The maximum size of an answer's body, in bytes.
  package var bodyBytes = 8 << 20
  /// The maximum size of an answer's head, in bytes.
  package var headBytes = 64 << 10

  package init() {}
}
