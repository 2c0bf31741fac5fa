/// One write, as the mechanisms see it: who, which, and when by its own clock.
package struct Dot: Sendable, Hashable {
  package var device: Int32
  package var sequence: Int64
  /// Milliseconds since 1970; breaks ties, and nothing else.
  package var at: Int64

  /// The event's name: the least, where it has several.
  func id(_ ledger: Ledger) -> EventID {
    let name = ledger.name(of: device, sequence)
    return EventID(
      device: DeviceID(trusted: ledger.name(Int(name.device))), sequence: name.sequence)
  }

  /// Whether one device wrote `later` behind this one, under whichever of their names.
  func isFollowed(by later: Dot, _ ledger: Ledger) -> Bool {
    ledger.isOneDevice((device, sequence), before: (later.device, later.sequence))
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
    let (name, otherName) = (
      ledger.name(of: device, sequence), ledger.name(of: other.device, other.sequence)
    )
    if name.device != otherName.device {
      return ledger.isBefore(Int(otherName.device), Int(name.device))
    }
    return name.sequence > otherName.sequence
  }
}
