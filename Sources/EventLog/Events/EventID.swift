/// The name of one event: the device that wrote it and its place in that device's sequence.
///
/// In the literature: a *dot* (Preguiça et al., "Dotted Version Vectors", 2010).
public struct EventID: Sendable, Hashable, CustomStringConvertible {
  public let device: DeviceID
  /// 1, 2, 3 … per device, at most 2^53 − 1.
  public let sequence: Int64

  public init(device: DeviceID, sequence: Int64) {
    self.device = device
    self.sequence = sequence
  }

  /// Reads `<device>:<sequence>`; nil if `text` is anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let device = DeviceID(String(text[..<colon])) else {
      return nil
    }
    let digits = text[text.index(after: colon)...]
    guard let sequence = Int64(digits), (1...LineLimits.sequenceMax).contains(sequence),
      String(sequence) == digits
    else { return nil }
    self.init(device: device, sequence: sequence)
  }

  public var description: String { "\(device):\(sequence)" }
}
