/// Identifies one event and its device's whole history up to it: `<device>:<sequence>~<chain>`.
///
/// Two journals that contain an event with the same full ID have the same history before it, except
/// with a probability of 2^−32.
package struct FullEventID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The device that wrote the event.
  package let device: DeviceID
  /// The position in a history of the device, from 1 to 2^53 − 1.
  package let sequence: Int64
  /// The last eight hexadecimal digits of the event's line.
  package let chain: UInt32

  /// Creates an ID from its parts, without checking them.
  package init(device: DeviceID, sequence: Int64, chain: UInt32) {
    self.device = device
    self.sequence = sequence
    self.chain = chain
  }

  /// The ID of the event in a line.
  package init(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    self.init(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
  }

  /// Parses `<device>:<sequence>~<chain>`; nil if `text` is anything else.
  package init?(_ text: String) {
    guard let id = EventID(text), let chain = id.chain else { return nil }
    self.init(device: id.device, sequence: id.sequence, chain: chain)
  }

  /// The event's ID, with its chain.
  package var id: EventID { EventID(device: device, sequence: sequence, chain: chain) }
  /// The event's ID without its chain, for display.
  package var shortID: EventID { EventID(device: device, sequence: sequence) }

  /// `<device>:<sequence>~<chain>`.
  package var description: String { "\(device):\(sequence)~\(ChainDigits.text(chain))" }

  /// Orders by the device's bytes, then by sequence, then by chain, like `seen`.
  package static func < (left: FullEventID, right: FullEventID) -> Bool {
    if left.device != right.device { return left.device < right.device }
    return (left.sequence, left.chain) < (right.sequence, right.chain)
  }
}
