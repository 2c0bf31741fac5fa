/// What of the lines that come from elsewhere may be taken, besides what they have to be.
package struct ReceivingTerms: Sendable, Hashable {
  /// The events that were asked for, by device; nil: any.
  private var asked: [DeviceID: Asked]?
  /// What the sender has said to be missing: lines that need it are taken all the same.
  package var missing: Set<FullEventID>
  private var gaps: [DeviceID: [ClosedRange<Int64>]]

  /// Of one device.
  private struct Asked: Sendable, Hashable {
    /// The last events of the ranges.
    var ends: Set<FullEventID>
    /// The sequences before them, in order and apart from one another: of these any event.
    var inside: [ClosedRange<Int64>]
  }

  package init(asked: [EventRange]? = nil, missing: [EventRange] = []) {
    self.asked = asked.map { ranges in
      Dictionary(grouping: ranges, by: \.device).mapValues { ranges in
        let inside = ranges.filter { $0.first < $0.last }.map { $0.first...($0.last - 1) }
        return Asked(ends: Set(ranges.map(\.end)), inside: Self.joined(inside))
      }
    }
    self.missing = Set(missing.map(\.end))
    // The event before a gap, and those in it.
    gaps = Dictionary(grouping: missing, by: \.device).mapValues { ranges in
      Self.joined(ranges.map { ($0.first - 1)...($0.last - 1) })
    }
  }

  /// The same sequences by as few ranges as do.
  private static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var joined: [ClosedRange<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  private static func contains(_ ranges: [ClosedRange<Int64>], _ sequence: Int64) -> Bool {
    let place = ranges.partitioningIndex { $0.upperBound >= sequence }
    return place < ranges.count && ranges[place].contains(sequence)
  }

  /// Whether what follows an event is missing for the sender.
  func isBeforeGap(_ event: FullEventID) -> Bool {
    gaps[event.device].map { Self.contains($0, event.sequence) } ?? false
  }

  /// Whether somebody who stated one thing delivers another.
  func isOtherThanStated(_ event: FullEventID) -> Bool {
    guard let asked else { return false }
    guard let asked = asked[event.device] else { return true }
    return !asked.ends.contains(event) && !Self.contains(asked.inside, event.sequence)
  }
}
