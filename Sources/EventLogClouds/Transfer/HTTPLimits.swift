/// The limits of an exchange.
package struct HTTPLimits: Sendable {
  /// The maximum time to connect, and to wait for a response to a short request.
  package var idle = Duration.seconds(15)
  /// The maximum duration of the whole exchange, or nil to derive it from the sizes.
  package var total: Duration?
  /// The maximum size of a response's body, in bytes.
  package var bodyBytes = 8 << 20
  /// The maximum size of a response's head, in bytes.
  package var headBytes = 64 << 10

  package init() {}
}
