/// The decision table for a journal's own device: the device ID for the next append.
///
/// If the end of the journal's own history is in doubt, the answer is a fresh ID. Using a sequence
/// twice would create a fork, which is harmless except for its notice, but best avoided.
///
/// `Docs/Internals/Guarantees.md` has the table.
package enum DeviceDecision: Sendable, Equatable {
  case same(DeviceID)
  case fresh(Reason)

  /// The reason for a fresh ID.
  package enum Reason: String, Sendable, CaseIterable {
    case noRecord, otherMachine, otherFile, lacksSyncedEvent, otherEvent, forked, laterEvents
    case doubtfulTail, duplicateWriter

    /// The notice for the user, or nil if none is needed.
    package var sentence: String? {
      cause.map { "\($0), so from now on it writes under a new device ID." }
    }

    /// The notice before anything has changed.
    package var foretelling: String? {
      cause.map { "\($0), so a sync would make it write under a new device ID." }
    }

    private var cause: String? {
      switch self {
      case .noRecord: nil
      case .otherMachine: "The journal was copied here from another machine"
      case .otherFile: "The journal is a copy, or was restored from one"
      case .lacksSyncedEvent:
        "The journal was rolled back to an earlier state, or its end was cut off"
      case .otherEvent: "The end of the journal was replaced"
      case .forked: "The journal was copied or restored, and both copies wrote under its device ID"
      case .laterEvents: "The journal is missing the last events of its own device"
      case .doubtfulTail: "The end of the journal was damaged"
      case .duplicateWriter:
        "The journal was missing events of its own device (it was rolled back, or a copy of it was"
          + " used)"
      }
    }

    /// Whether other copies may have other events under the same IDs, so that the user should be
    /// warned.
    package var isDuplicateWriter: Bool {
      switch self {
      case .lacksSyncedEvent, .otherEvent, .forked, .laterEvents, .duplicateWriter: true
      case .noRecord, .otherMachine, .otherFile, .doubtfulTail: false
      }
    }
  }

  /// The inputs of the decision.
  package struct Facts: Sendable {
    package var record: DeviceRecord?
    package var machine: String?
    package var file: DeviceRecord.FileIdentity
    /// Whether the journal holds the event that the record lists as synced.
    package var holdsSyncedEvent = false
    /// Whether it holds another event with the same ID.
    package var holdsOtherEvent = false
    package var historyCount = 0
    /// Whether events of the device are named after its last held event.
    package var hasLaterEvents = false
    package var hasDoubtfulTail = false

    package init(record: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity) {
      self.record = record
      self.machine = machine
      self.file = file
    }
  }

  package static func decide(_ facts: Facts) -> DeviceDecision {
    guard let record = facts.record else { return .fresh(.noRecord) }
    if record.machine != facts.machine { return .fresh(.otherMachine) }
    if record.file != facts.file {
      // A first batch that was never written leaves the record of a removed file.
      return .fresh(record.isUnused && facts.historyCount == 0 ? .noRecord : .otherFile)
    }
    switch record.retirement {
    case nil: break
    case .doubtfulEnd?: return .fresh(.doubtfulTail)
    case .duplicateWriter?:
      // The events of the other copy have been received since.
      return .fresh(facts.historyCount > 1 ? .forked : .duplicateWriter)
    case .rolledBack?: return .fresh(.lacksSyncedEvent)
    }
    if record.sequence == 0 {
      if facts.historyCount == 0 { return .fresh(.noRecord) }
    } else if !facts.holdsSyncedEvent {
      return .fresh(facts.holdsOtherEvent ? .otherEvent : .lacksSyncedEvent)
    }
    if facts.historyCount > 1 { return .fresh(.forked) }
    if facts.hasLaterEvents { return .fresh(.laterEvents) }
    if facts.hasDoubtfulTail { return .fresh(.doubtfulTail) }
    return .same(record.device)
  }

  /// The device ID for writing, or nil for a fresh one.
  package var device: DeviceID? {
    if case .same(let device) = self { return device }
    return nil
  }

  /// The reason for a fresh ID, or nil if the ID stays.
  package var reason: Reason? {
    if case .fresh(let reason) = self { return reason }
    return nil
  }

  /// Whether the record is about this file and its content.
  package var trustsRecord: Bool {
    switch self {
    case .same, .fresh(.doubtfulTail), .fresh(.laterEvents), .fresh(.forked),
      .fresh(.duplicateWriter):
      true
    case .fresh: false
    }
  }
}

extension DeviceDecision {
  /// Decides from the result of a reading.
  package static func decide<Sink: EventSink>(
    _ record: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
    _ pass: JournalPass<Sink>, _ end: JournalReading.End
  ) -> DeviceDecision {
    var facts = Facts(record: record, machine: machine, file: file)
    if let record {
      let ledger = pass.ledger
      facts.holdsSyncedEvent = record.event.map(ledger.holds) ?? true
      facts.holdsOtherEvent =
        record.event.map { !ledger.points(named: $0.shortID).isEmpty } ?? false
      let ends = ledger.ends(of: record.device)
      facts.historyCount = ends.count
      facts.hasLaterEvents = ledger.namesLaterEvents(of: record.device)
      facts.hasDoubtfulTail =
        end.doubtfulTail != nil
        || pass.unfinished.contains {
          ledger.names.text(Int($0.key.device)) == record.device.text
        }
    }
    return decide(facts)
  }
}

extension Ledger {
  /// The tips of a device.
  package func ends(of device: DeviceID) -> [Point] {
    guard let index = find(device) else { return [] }
    if let end = onlyEnd(of: index) { return [end] }
    return tips.filter { Int(branches[Int($0.branch)].device) == index }
  }

  /// The first tip of a device, given by its number.
  func firstEnd(of device: Int) -> Point? {
    onlyEnd(of: device) ?? tips.first { Int(branches[Int($0.branch)].device) == device }
  }

  /// The tip of a device with a single history, the usual case.
  private func onlyEnd(of device: Int) -> Point? {
    guard devices[device].branches.count == 1 else { return nil }
    let branch = devices[device].branches[0]
    guard branches[Int(branch)].eventCount > 0 else { return nil }
    return Point(branch: branch, sequence: branches[Int(branch)].last)
  }

  /// Whether a line names an event of the device that is missing and has no held successor.
  func namesLaterEvents(of device: DeviceID) -> Bool {
    guard let index = find(device) else { return false }
    return devices[index].branches.contains { branch in
      branches[Int(branch)].isMissing && branches[Int(branch)].eventCount == 0
        && !branches.contains { $0.parent == branch }
    }
  }
}
