/// A set of events, added one by one and stored as ranges.
package struct EventRanges: Sendable, Hashable {
  /// The first sequence of each range, by its last event.
  private var firsts: [FullEventID: Int64] = [:]
  /// The number of events.
  private var total: Int128 = 0

  package init() {}

  package var isEmpty: Bool { firsts.isEmpty }

  /// The number of events, clamped to `Int64`.
  package var count: Int64 { Int64(clamping: total) }

  /// The ranges, by device and sequence.
  package var ranges: [EventRange] {
    firsts.map { EventRange(from: $0.value, to: $0.key) }.sorted()
  }

  /// Adds an event that isn't in a range yet, extending the range that ends with its predecessor.
  ///
  /// - Parameter before: The chain of the predecessor.
  /// - Complexity: O(1).
  package mutating func insert(_ event: FullEventID, after before: UInt32) {
    let previous = FullEventID(
      device: event.device, sequence: event.sequence - 1, chain: before)
    let first = event.sequence > 1 ? firsts.removeValue(forKey: previous) : nil
    if let first { total -= Int128(previous.sequence) - Int128(first) + 1 }
    insert(from: first ?? event.sequence, to: event)
  }

  private mutating func insert(from first: Int64, to end: FullEventID) {
    let known = firsts[end]
    if let known, known <= first { return }
    firsts[end] = first
    total += Int128(known ?? end.sequence + 1) - Int128(first)
  }

  /// Adds a range. It is merged only with a range that has the same end.
  package mutating func insert(_ range: EventRange) {
    insert(from: range.first, to: range.end)
  }

  /// Adds the ranges of another collection.
  package mutating func formUnion(_ other: EventRanges) {
    for (end, first) in other.firsts { insert(from: first, to: end) }
  }
}
