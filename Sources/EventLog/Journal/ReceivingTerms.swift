/// What of the lines that come from elsewhere may be taken, besides what they have to be.
package struct ReceivingTerms: Sendable, Hashable {
  /// The events that were asked for, by device; nil: any.
  private var asked: [DeviceID: Asked]?
  /// What the sender has said to be missing: lines that need it are taken all the same.
  package var missing: Set<FullEventID>
  private var gaps: [DeviceID: [Range<Int64>]]

  /// Of one device.
  private struct Asked: Sendable, Hashable {
    /// The last events of the ranges.
    var ends: Set<FullEventID>
    /// The sequences before them, any event of which was asked for.
    var inside: [Range<Int64>]
  }

  package init(asked: [EventRange]? = nil, missing: [EventRange] = []) {
    self.asked = asked.map { ranges in
      Dictionary(grouping: ranges, by: \.device).mapValues { ranges in
        let inside = ranges.filter { $0.first < $0.last }.map { $0.first..<$0.last }
        return Asked(ends: Set(ranges.map(\.end)), inside: inside.joined)
      }
    }
    self.missing = Set(missing.map(\.end))
    // The event before a gap, and those in it.
    gaps = Dictionary(grouping: missing, by: \.device).mapValues { ranges in
      ranges.map { ($0.first - 1)..<$0.last }.joined
    }
  }

  /// Whether what follows an event is missing for the sender.
  func isBeforeGap(_ event: FullEventID) -> Bool {
    gaps[event.device]?.covers(event.sequence) ?? false
  }

  /// Whether somebody who stated one thing delivers another.
  func isOtherThanStated(_ event: FullEventID) -> Bool {
    guard let asked else { return false }
    guard let asked = asked[event.device] else { return true }
    return !asked.ends.contains(event) && !asked.inside.covers(event.sequence)
  }
}

extension [Range<Int64>] {
  /// The same numbers in as few ranges as possible, ascending.
  var joined: Self {
    var joined: Self = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Returns true if one of the ranges, which are joined, contains a number.
  func covers(_ number: Int64) -> Bool {
    let place = partitioningIndex { $0.upperBound > number }
    return place < count && self[place].contains(number)
  }
}
