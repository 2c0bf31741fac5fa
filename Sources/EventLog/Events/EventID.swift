/// The name of one event: the device that wrote it and its place in that device's history.
///
/// In the literature: a *dot* (Preguiça et al., "Dotted Version Vectors", 2010). After a fork two
/// events may have one place; then the chain tells them apart, and only then it is there.
public struct EventID: Sendable, Hashable, CustomStringConvertible {
  /// The device that wrote the event.
  public let device: DeviceID
  /// 1, 2, 3 … along each history of the device, at most 2^53 − 1.
  public let sequence: Int64
  /// The last eight digits of the event's line; nil where the place alone is meant.
  public let chain: UInt32?

  /// Names an event by its parts, which are not checked.
  public init(device: DeviceID, sequence: Int64, chain: UInt32? = nil) {
    self.device = device
    self.sequence = sequence
    self.chain = chain
  }

  /// Reads `<device>:<sequence>` or `<device>:<sequence>~<chain>`; nil if `text` is anything else.
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

  /// `<device>:<sequence>`, and `~<chain>` where there is one.
  public var description: String {
    let place = "\(device):\(sequence)"
    return chain.map { "\(place)~\(ChainDigits.text($0))" } ?? place
  }
}
