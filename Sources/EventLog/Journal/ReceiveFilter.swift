/// Which received lines to accept, beyond the format checks.
package struct ReceiveFilter: Sendable, Hashable {
  /// The requested events of each device, or nil to accept all.
  private var requested: [DeviceID: Requested]?
  /// The events that the sender stated as missing. Lines that need them are accepted.
  package var missing: Set<FullEventID>
  private var gaps: [DeviceID: [Range<Int64>]]

  /// The requested events of one device.
  private struct Requested: Sendable, Hashable {
    /// The last events of the ranges.
    var ends: Set<FullEventID>
    /// The sequences before those, whatever the chains of their events.
    var inside: [Range<Int64>]
  }

  package init(requested: [EventRange]? = nil, missing: [EventRange] = []) {
    self.requested = requested.map { ranges in
      Dictionary(grouping: ranges, by: \.device).mapValues { ranges in
        let inside = ranges.filter { $0.first < $0.last }.map { $0.first..<$0.last }
        return Requested(ends: Set(ranges.map(\.end)), inside: inside.joined)
      }
    }
    self.missing = Set(missing.map(\.end))
    // From the event before each gap to the last but one in it.
    gaps = Dictionary(grouping: missing, by: \.device).mapValues { ranges in
      ranges.map { ($0.first - 1)..<$0.last }.joined
    }
  }

  /// Whether the event after this one is missing at the sender.
  package func isBeforeGap(_ event: FullEventID) -> Bool {
    gaps[event.device]?.covers(event.sequence) ?? false
  }

  /// Whether an event wasn't requested, so that the sender delivers other events than it stated.
  func isOtherThanStated(_ event: FullEventID) -> Bool {
    guard let requested else { return false }
    guard let requested = requested[event.device] else { return true }
    return !requested.ends.contains(event) && !requested.inside.covers(event.sequence)
  }
}

extension [Range<Int64>] {
  /// The union of the ranges, as ascending ranges that don't touch.
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

  /// Whether a number is in one of the ranges, which must be ``joined``.
  func covers(_ number: Int64) -> Bool {
    let index = partitioningIndex { $0.upperBound > number }
    return index < count && self[index].contains(number)
  }
}
