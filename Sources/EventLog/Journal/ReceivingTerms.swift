/// What of the lines that come from elsewhere may be taken, besides what they have to be.
package struct ReceivingTerms: Sendable, Hashable {
  /// Per device the first event about which the two journals differ: nothing of it is taken from
  /// there on, and nothing that has seen it.
  package var disputed: [DeviceID: Int64]
  /// The events that were asked for, by device; nil: any.
  package var asked: [DeviceID: Asked]?

  /// Events of one device that were asked for: all that is not held, up to one.
  package struct Asked: Sendable, Hashable {
    package var last: Int64
    /// The checksum that the last one was stated to have, where that was said.
    package var checksum: LineChecksum?

    package init(last: Int64, checksum: LineChecksum?) {
      self.last = last
      self.checksum = checksum
    }
  }

  package init(disputed: [DeviceID: Int64] = [:], asked: [DeviceID: Asked]? = nil) {
    self.disputed = disputed
    self.asked = asked
  }

  /// Whether somebody who stated one thing delivers another.
  func isOtherThanStated(_ event: EventID, _ checksum: LineChecksum) -> Bool {
    guard let asked else { return false }
    guard let end = asked[event.device], event.sequence <= end.last else { return true }
    return event.sequence == end.last && checksum != end.checksum ?? checksum
  }
}
