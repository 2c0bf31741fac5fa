/// Events, collected one by one and kept as ranges.
public struct EventRanges: Sendable, Hashable {
  /// By the end of each range, where it begins.
  private var firsts: [FullEventID: Int64] = [:]

  public init() {}

  public var isEmpty: Bool { firsts.isEmpty }

  /// How many events.
  public var count: Int64 { ranges.saturatingCount }

  /// The ranges, by device and sequence.
  public var ranges: [EventRange] {
    firsts.map { EventRange(from: $0.value, to: $0.key) }.sorted()
  }

  /// Adds an event that no range holds yet: where one ends with the event before it, that goes on.
  ///
  /// - Parameter before: the chain of the event before it.
  /// - Complexity: O(1).
  public mutating func insert(_ event: FullEventID, after before: UInt32) {
    let previous = FullEventID(
      device: event.device, sequence: event.sequence - 1, chain: before)
    let first = event.sequence > 1 ? firsts.removeValue(forKey: previous) : nil
    firsts[event] = min(first ?? event.sequence, firsts[event] ?? .max)
  }

  /// Adds a range. One that it goes on from, or that goes on from it, is found by its end only.
  public mutating func insert(_ range: EventRange) {
    firsts[range.end] = min(range.first, firsts[range.end] ?? .max)
  }

  /// Adds the ranges of another collection.
  public mutating func formUnion(_ other: EventRanges) {
    for (end, first) in other.firsts { firsts[end] = min(first, firsts[end] ?? .max) }
  }
}
