/// What of the lines that come from elsewhere may be taken, besides what they have to be.
package struct ReceivingTerms: Sendable, Hashable {
  /// The events that were asked for, by device; nil: any.
  package var asked: [DeviceID: [EventRange]]?
  /// What the sender has said to be missing: lines that need it are taken all the same.
  package var missing: Set<FullEventID>
  private var gaps: [EventRange]

  package init(asked: [EventRange]? = nil, missing: [EventRange] = []) {
    self.asked = asked.map { Dictionary(grouping: $0, by: \.device) }
    self.missing = Set(missing.map(\.end))
    gaps = missing
  }

  /// Whether what follows an event is missing for the sender.
  func isBeforeGap(_ event: FullEventID) -> Bool {
    gaps.contains {
      $0.device == event.device && $0.first <= event.sequence + 1 && event.sequence < $0.last
    }
  }

  /// Whether somebody who stated one thing delivers another.
  func isOtherThanStated(_ event: FullEventID) -> Bool {
    guard let asked else { return false }
    guard let ranges = asked[event.device] else { return true }
    return !ranges.contains { range in
      event.sequence < range.last ? event.sequence >= range.first : event == range.end
    }
  }
}
