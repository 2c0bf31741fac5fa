/// The name of one event and of its device's whole history up to it: `<device>:<sequence>~<chain>`.
///
/// Two journals that hold an event of one full ID agree, up to a chance of 2^−32, on all of the
/// history before it.
package struct FullEventID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The device that wrote it.
  package let device: DeviceID
  /// 1, 2, 3 … along each history of the device, at most 2^53 − 1.
  package let sequence: Int64
  /// The last eight digits of its line.
  package let chain: UInt32

  /// Names an event by its parts, which are not checked.
  package init(device: DeviceID, sequence: Int64, chain: UInt32) {
    self.device = device
    self.sequence = sequence
    self.chain = chain
  }

  /// Names the event of a line.
  package init(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    self.init(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
  }

  /// Reads `<device>:<sequence>~<chain>`; nil if `text` is anything else.
  package init?(_ text: String) {
    guard let id = EventID(text), let chain = id.chain else { return nil }
    self.init(device: id.device, sequence: id.sequence, chain: chain)
  }

  /// The event's ID, with its chain.
  package var id: EventID { EventID(device: device, sequence: sequence, chain: chain) }
  /// The event's ID, as people read and type it.
  package var shortID: EventID { EventID(device: device, sequence: sequence) }

  /// `<device>:<sequence>~<chain>`.
  package var description: String { "\(device):\(sequence)~\(ChainDigits.text(chain))" }

  /// Orders by the device's bytes, then by sequence, then by chain: as `seen` is written.
  package static func < (left: FullEventID, right: FullEventID) -> Bool {
    if left.device != right.device { return left.device < right.device }
    return (left.sequence, left.chain) < (right.sequence, right.chain)
  }
}
