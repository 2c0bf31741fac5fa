/// A range of consecutive events in one history of a device.
public struct EventRange: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The device that wrote the events.
  public let device: DeviceID
  /// The sequence number of the first event, at least 1.
  public let first: Int64
  /// The sequence number of the last event, at least ``first``.
  public let last: Int64
  /// The chain of the last event.
  ///
  /// After a fork, it identifies the history.
  public let chain: UInt32

  /// Creates a range of events.
  ///
  /// - Parameters:
  ///   - device: The device that wrote the events.
  ///   - first: The sequence number of the first event.
  ///   - last: The sequence number of the last event.
  ///   - chain: The chain of the last event.
  /// - Precondition: `1 <= first <= last`.
  public init(device: DeviceID, first: Int64, last: Int64, chain: UInt32) {
    precondition(1 <= first && first <= last, "A range contains at least one event.")
    self.device = device
    self.first = first
    self.last = last
    self.chain = chain
  }

  /// The events of the history that ends with `end`, starting at `first`.
  package init(from first: Int64, to end: FullEventID) {
    self.init(device: end.device, first: first, last: end.sequence, chain: end.chain)
  }

  /// The last event.
  package var end: FullEventID { FullEventID(device: device, sequence: last, chain: chain) }

  /// The number of events in the range.
  public var count: Int64 { last - first + 1 }

  /// The range in the form `<device>:<first>`, or `<device>:<first>–<last>` for several events.
  public var description: String {
    first == last ? "\(device):\(first)" : "\(device):\(first)–\(last)"
  }

  /// Returns whether the first range comes before the second one, by device, sequence, and chain.
  public static func < (left: EventRange, right: EventRange) -> Bool {
    if left.device != right.device { return left.device < right.device }
    return (left.first, left.last, left.chain) < (right.first, right.last, right.chain)
  }
}

extension Sequence<EventRange> {
  /// The number of events, clamped to `Int64`, because peers may state more than exist.
  package var saturatingCount: Int64 {
    reduce(0) { sum, range in
      let (total, overflow) = sum.addingReportingOverflow(range.count)
      return overflow ? .max : total
    }
  }
}

extension EventRange {
  /// `<device>:<first>–<last>`, plus `~<chain>` if the last event's ID is ambiguous.
  package func text(_ name: (FullEventID) -> EventID) -> String {
    let end = name(end)
    return end.chain == nil ? description : description + end.description.suffix(9)
  }
}
