/// A run of consecutive events of one history.
public struct EventRange: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Whose events they are.
  public let device: DeviceID
  /// The sequence of the first event, from 1.
  public let first: Int64
  /// The sequence of the last event, at least ``first``.
  public let last: Int64
  /// The chain of the last event: it tells which history is meant.
  public let chain: UInt32

  /// - Precondition: `1 <= first <= last`.
  public init(device: DeviceID, first: Int64, last: Int64, chain: UInt32) {
    precondition(1 <= first && first <= last, "A range holds at least one event.")
    self.device = device
    self.first = first
    self.last = last
    self.chain = chain
  }

  /// The events of the history that ends with `end`, from `first` on.
  package init(from first: Int64, to end: FullEventID) {
    self.init(device: end.device, first: first, last: end.sequence, chain: end.chain)
  }

  /// The last event.
  package var end: FullEventID { FullEventID(device: device, sequence: last, chain: chain) }

  /// How many events it holds.
  public var count: Int64 { last - first + 1 }

  /// `<device>:<first>` or `<device>:<first>–<last>`.
  public var description: String {
    first == last ? "\(device):\(first)" : "\(device):\(first)–\(last)"
  }

  /// Orders by device, then by sequence, then by chain.
  public static func < (left: EventRange, right: EventRange) -> Bool {
    if left.device != right.device { return left.device < right.device }
    return (left.first, left.last, left.chain) < (right.first, right.last, right.chain)
  }
}

extension Sequence<EventRange> {
  /// How many events they hold; what others state may be more than can be counted.
  package var saturatingCount: Int64 {
    reduce(0) { sum, range in
      let (total, overflow) = sum.addingReportingOverflow(range.count)
      return overflow ? .max : total
    }
  }
}

extension EventRange {
  /// `<device>:<first>–<last>`, with the chain behind it where its last event needs it.
  package func text(_ name: (FullEventID) -> EventID) -> String {
    let end = name(end)
    return end.chain == nil ? description : description + end.description.suffix(9)
  }
}
