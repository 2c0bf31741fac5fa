/// One write, as the mechanisms see it: who, which, and when by its own clock.
package struct Dot: Sendable, Hashable {
  package var device: Int32
  package var sequence: Int64
  /// Milliseconds since 1970; breaks ties, and nothing else.
  package var at: Int64

  /// The event's name.
  func id(_ ledger: Ledger) -> EventID {
    EventID(device: DeviceID(trusted: ledger.name(Int(device))), sequence: sequence)
  }

  /// Whether the event being applied, whose device is `device`, has seen this one.
  @inline(__always)
  package func isSeen(by device: Int32, _ ledger: Ledger) -> Bool {
    ledger.seen(Int(self.device), by: Int(device)) >= sequence
  }

  /// Whether this one is the later of two that did not know of each other: by time, then by the
  /// device's bytes, then by sequence.
  package func isLater(than other: Dot, _ ledger: Ledger) -> Bool {
    if at != other.at { return at > other.at }
    if device != other.device { return ledger.isBefore(Int(other.device), Int(device)) }
    return sequence > other.sequence
  }
}
