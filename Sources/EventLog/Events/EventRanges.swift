/// Events, collected one by one and kept as ranges.
package struct EventRanges: Sendable, Hashable {
  /// By the end of each range, where it begins.
  private var firsts: [FullEventID: Int64] = [:]
  /// How many events that makes.
  private var total: Int128 = 0

  /// No events.
  package init() {}

  /// Whether it holds no event.
  package var isEmpty: Bool { firsts.isEmpty }

  /// How many events; of more than fit, as many as do.
  package var count: Int64 { Int64(clamping: total) }

  /// The ranges, by device and sequence.
  package var ranges: [EventRange] {
    firsts.map { EventRange(from: $0.value, to: $0.key) }.sorted()
  }

  /// Adds an event that no range holds yet: where one ends with the event before it, that goes on.
  ///
  /// - Parameter before: the chain of the event before it.
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

  /// Adds a range. One that it goes on from, or that goes on from it, is found by its end only.
  package mutating func insert(_ range: EventRange) {
    insert(from: range.first, to: range.end)
  }

  /// Adds the ranges of another collection.
  package mutating func formUnion(_ other: EventRanges) {
    for (end, first) in other.firsts { insert(from: first, to: end) }
  }
}
