/// A run of consecutive events of one device.
public struct EventRange: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let device: DeviceID
  /// The sequence of the first event, from 1.
  public let first: Int64
  /// The sequence of the last event, at least ``first``.
  public let last: Int64

  /// - Precondition: `1 <= first <= last`.
  public init(device: DeviceID, first: Int64, last: Int64) {
    precondition(1 <= first && first <= last, "A range holds at least one event.")
    self.device = device
    self.first = first
    self.last = last
  }

  /// How many events it holds.
  public var count: Int64 { last - first + 1 }

  /// Whether an event belongs to it.
  public func contains(_ event: EventID) -> Bool {
    event.device == device && (first...last).contains(event.sequence)
  }

  /// Whether some event belongs to both.
  func overlaps(_ other: EventRange) -> Bool {
    device == other.device && first <= other.last && other.first <= last
  }

  /// `<device>:<first>` or `<device>:<first>–<last>`.
  public var description: String {
    first == last ? "\(device):\(first)" : "\(device):\(first)–\(last)"
  }

  /// Orders by device, then by sequence.
  public static func < (left: EventRange, right: EventRange) -> Bool {
    if left.device != right.device { return left.device < right.device }
    return (left.first, left.last) < (right.first, right.last)
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
