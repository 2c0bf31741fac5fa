/// What an open writer remembers of its journal's device IDs: the files under it may go back to an
/// earlier state, what was read from them does not.
///
/// ``DeviceDecision`` goes by the files alone. Beyond that, for as long as a writer lives: **it
/// never gives a number that it has given or has seen given, whatever is put under it.** So it goes
/// on under an ID only
///
/// - if that was the journal's own when it looked last, and the journal holds the last event of it
///   that was ever seen; or
/// - if it has not met it before: another process has taken it as a fresh one, or this is the first
///   look.
///
/// An ID that was met and is not the own one any more was given up, or is another device's: that it
/// should be the own one again is a past that has come back.
struct DeviceMemory {
  /// The last known event of the journal's own ID; its sequence is 0 before the first. Nil where
  /// that ID was given up.
  private var ownEnd: (event: EventID, checksum: LineChecksum)?
  /// All IDs that were met.
  private var met: Set<DeviceID> = []
  /// How many devices of the present reading are among them.
  private var metCount = 0

  /// Whether an ID may be the own one, by what was known before.
  ///
  /// - Parameter find: gives the checksum of an event that the journal holds.
  func allows(
    _ device: DeviceID, _ find: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> Bool {
    guard let ownEnd, ownEnd.event.device == device else { return !met.contains(device) }
    if ownEnd.event.sequence == 0 { return true }
    return try find(ownEnd.event) == ownEnd.checksum
  }

  /// Takes note of what `device.json` says, and of the last event of its device that stands in the
  /// journal, where that ID is allowed.
  mutating func note(_ record: DeviceRecord, _ ledger: Ledger) {
    met.insert(record.device)
    guard !record.isRetired else {
      ownEnd = nil
      return
    }
    goOn(to: record.syncedEvent, record.checksum)
    guard let index = ledger.find(record.device) else { return }
    let state = ledger.devices[index]
    goOn(to: EventID(device: record.device, sequence: state.last), state.checksum)
  }

  private mutating func goOn(to event: EventID, _ checksum: LineChecksum) {
    if let ownEnd, ownEnd.event.device == event.device, ownEnd.event.sequence >= event.sequence {
      return
    }
    ownEnd = (event, checksum)
  }

  /// Takes note that nothing more is to be written under an ID.
  mutating func giveUp(_ device: DeviceID) {
    met.insert(device)
    if ownEnd?.event.device == device { ownEnd = nil }
  }

  /// Takes note of all devices of a journal.
  ///
  /// - Complexity: O(devices that came since), O(devices) in a new reading.
  mutating func meetAll(in ledger: Ledger) {
    while metCount < ledger.devices.count {
      met.insert(DeviceID(trusted: ledger.name(metCount)))
      metCount += 1
    }
  }

  /// Another reading counts the devices anew.
  mutating func beginReading() { metCount = 0 }
}
