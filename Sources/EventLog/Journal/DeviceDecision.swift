/// Under which ID an append writes: the decision table for a journal's own device.
///
/// The rule behind every row: a sequence number that may exist elsewhere is never used twice, so
/// whenever the end of our own history is in doubt, the answer is a fresh ID.
///
/// | | `device.json` | the journal | then |
/// |---|---|---|---|
/// | a | is missing, or holds something else | | fresh |
/// | b | names another machine | | fresh: the folder was cloned |
/// | c | names another file | | fresh: the journal was copied or restored |
/// | d | fits, and is retired | | fresh: for the reason that the record holds |
/// | e | fits, sequence 0 | has no event of the device | fresh: its first batch never came |
/// | f | fits | lacks the synced event | fresh: rolled back |
/// | g | fits | has another event there | fresh: replaced |
/// | h | fits | has two events under one ID of the device | fresh: two copies wrote under it |
/// | i | fits | has the device behind a hole, or events that have seen later ones of it | fresh |
/// | j | fits | has a doubtful end | fresh |
/// | k | fits, sequence 0 | has events of the device | the same ID goes on after them |
/// | l | fits | has the synced event | the same ID |
package enum DeviceDecision: Sendable, Equatable {
  case same(DeviceID)
  case fresh(Reason)

  /// Why a fresh ID is due.
  package enum Reason: String, Sendable, CaseIterable {
    case noRecord, otherMachine, otherFile, lacksSyncedEvent, otherEvent, forked, behindHole
    case doubtfulTail, continuedElsewhere, reissued

    /// What it means for the person whose journal it is, in one sentence; nil where it is nothing
    /// to speak of.
    package var sentence: String? {
      cause.map { "\($0), so from now on it writes under a fresh device ID." }
    }

    /// The same where nothing was changed yet.
    package var foretelling: String? {
      cause.map { "\($0), so a sync would have it write under a fresh device ID from then on." }
    }

    private var cause: String? {
      switch self {
      case .noRecord: nil
      case .otherMachine: "The journal was brought here from another machine"
      case .otherFile: "The journal is a copy, or was restored from one"
      case .lacksSyncedEvent: "The journal was rolled back to an earlier state"
      case .otherEvent: "The end of the journal was replaced"
      case .forked: "The journal holds two different events under one ID of its device"
      case .behindHole: "Events that the journal's device wrote are missing or damaged in it"
      case .doubtfulTail: "The end of the journal was in doubt"
      case .continuedElsewhere:
        "Others hold events of the journal's device that it does not hold (it was rolled back, or a"
          + " copy of it went on)"
      case .reissued: "The events of the journal's device were written again under another ID"
      }
    }

    /// Whether it shows that numbers of the device may stand for other events elsewhere, so that
    /// who is told now is spared a surprise later.
    package var isTwin: Bool {
      switch self {
      case .lacksSyncedEvent, .otherEvent, .forked, .continuedElsewhere: true
      case .noRecord, .otherMachine, .otherFile, .behindHole, .doubtfulTail, .reissued: false
      }
    }
  }

  /// What the decision depends on.
  package struct Facts: Sendable {
    package var record: DeviceRecord?
    package var machine: String?
    package var file: DeviceRecord.FileIdentity
    /// The checksum found at the record's sequence, nil where the journal lacks it.
    package var foundChecksum: LineChecksum?
    package var deviceHasEvents: Bool
    package var deviceIsForked: Bool
    /// Behind a hole, or others have seen events of it that are not there.
    package var deviceIsStopped: Bool
    package var hasDoubtfulTail: Bool

    package init(
      record: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
      foundChecksum: LineChecksum?, deviceHasEvents: Bool, deviceIsForked: Bool,
      deviceIsStopped: Bool, hasDoubtfulTail: Bool
    ) {
      self.record = record
      self.machine = machine
      self.file = file
      self.foundChecksum = foundChecksum
      self.deviceHasEvents = deviceHasEvents
      self.deviceIsForked = deviceIsForked
      self.deviceIsStopped = deviceIsStopped
      self.hasDoubtfulTail = hasDoubtfulTail
    }
  }

  package static func decide(_ facts: Facts) -> DeviceDecision {
    guard let record = facts.record else { return .fresh(.noRecord) }
    if record.machine != facts.machine { return .fresh(.otherMachine) }
    if record.file != facts.file { return .fresh(.otherFile) }
    switch record.retirement {
    case nil: break
    case .doubtfulEnd?: return .fresh(.doubtfulTail)
    case .continuedElsewhere?: return .fresh(.continuedElsewhere)
    case .reissued?: return .fresh(.reissued)
    case .rolledBack?: return .fresh(.lacksSyncedEvent)
    }
    if record.sequence == 0 {
      if !facts.deviceHasEvents { return .fresh(.noRecord) }
    } else {
      guard let found = facts.foundChecksum else { return .fresh(.lacksSyncedEvent) }
      if found != record.checksum { return .fresh(.otherEvent) }
    }
    if facts.deviceIsForked { return .fresh(.forked) }
    if facts.deviceIsStopped { return .fresh(.behindHole) }
    if facts.hasDoubtfulTail { return .fresh(.doubtfulTail) }
    return .same(record.device)
  }

  /// Under which ID it writes; nil: under a fresh one.
  package var device: DeviceID? {
    if case .same(let device) = self { return device }
    return nil
  }

  /// Why a fresh ID is due; nil where none is.
  package var reason: Reason? {
    if case .fresh(let reason) = self { return reason }
    return nil
  }

  /// Whether the record speaks of this file and of what is in it.
  package var trustsRecord: Bool {
    switch self {
    case .same, .fresh(.doubtfulTail), .fresh(.behindHole), .fresh(.forked),
      .fresh(.continuedElsewhere), .fresh(.reissued):
      true
    case .fresh: false
    }
  }
}
