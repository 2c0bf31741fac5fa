/// The ID of an event: the device that wrote it, and its position in that device's history.
///
/// After a fork, two events can have the same device and position. In this case only, an ID also
/// contains a chain, which distinguishes them.
///
/// In the literature, such an ID is a *dot* (Preguiça et al., "Dotted Version Vectors", 2010).
public struct EventID: Sendable, Hashable, CustomStringConvertible {
  /// The device that wrote the event.
  public let device: DeviceID
  /// The position of the event in the device's history, from 1 to 2^53 − 1.
  public let sequence: Int64
  /// The last eight hexadecimal digits of the event's line, or `nil` if the ID doesn't contain
  /// them.
  public let chain: UInt32?

  /// Creates an event ID from its parts, without checking them.
  ///
  /// - Parameters:
  ///   - device: The device that wrote the event.
  ///   - sequence: The position of the event in the device's history.
  ///   - chain: The last eight hexadecimal digits of the event's line.
  public init(device: DeviceID, sequence: Int64, chain: UInt32? = nil) {
    self.device = device
    self.sequence = sequence
    self.chain = chain
  }

  /// Creates an event ID from `<device>:<sequence>` or `<device>:<sequence>~<chain>`.
  ///
  /// Returns `nil` if `text` isn't valid.
  public init?(_ text: String) {
    var rest = text[...]
    var chain: UInt32?
    if let mark = text.lastIndex(of: "~") {
      guard let value = ChainDigits.value(text[text.index(after: mark)...].utf8) else { return nil }
      chain = value
      rest = text[..<mark]
    }
    guard let colon = rest.lastIndex(of: ":"), let device = DeviceID(String(rest[..<colon])) else {
      return nil
    }
    let digits = rest[rest.index(after: colon)...]
    guard let sequence = Int64(digits), (1...LineLimits.sequenceMax).contains(sequence),
      String(sequence) == digits
    else { return nil }
    self.init(device: device, sequence: sequence, chain: chain)
  }

  /// The ID in the form `<device>:<sequence>`, or `<device>:<sequence>~<chain>` if it contains a
  /// chain.
  public var description: String { String(writing: write(to:)) }

  /// Appends ``description``.
  package func write(to output: inout [UInt8]) {
    output.append(text: device.text)
    output.append(UInt8(ascii: ":"))
    output.append(digitsOf: sequence)
    guard let chain else { return }
    output.append(UInt8(ascii: "~"))
    output.append(digitsOf: chain)
  }
}
