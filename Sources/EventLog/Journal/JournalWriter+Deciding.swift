extension JournalWriter {
  /// Under which ID an append would write now, by what was read and by `device.json`.
  func judge(
    _ newRecord: DeviceRecord?, identity: DeviceRecord.FileIdentity, machine: String?
  ) -> DeviceDecision {
    judgedRecord = newRecord
    let index = newRecord.flatMap { pass.ledger.find($0.device) }
    let state = index.map { pass.ledger.devices[$0] }
    var found = pass.watched?.found
    if let newRecord, newRecord == record, case .same = decision {
      // It was found before, and the end of what was read then still stands.
      found = newRecord.checksum
    } else if found == nil, let newRecord, let state, state.last == newRecord.sequence {
      found = state.checksum
    }
    return .decide(
      DeviceDecision.Facts(
        record: newRecord, machine: machine, file: identity, foundChecksum: found,
        deviceHasEvents: (state?.last ?? 0) > 0, deviceIsForked: state?.fork != nil,
        deviceIsStopped: state?.isStopped ?? false || isSeenBeyondEnd(index),
        hasDoubtfulTail: end.doubtfulTail != nil))
  }

  /// Whether events in the journal have seen later ones of the device than it holds; they are then
  /// told as damage, so a sound journal need not look.
  private func isSeenBeyondEnd(_ device: Int?) -> Bool {
    guard let device, pass.problems.damageCount > 0 else { return false }
    return pass.ledger.hasSeenBeyond(device)
  }

  /// Decides, under the lock.
  func decide(
    _ decided: DeviceDecision, _ newRecord: DeviceRecord?
  ) throws(EventLogError) {
    decision = decided
    record = newRecord
    if try lacksOwnEnd(decided) { try retireDevice(.rolledBack) }
    rememberOwnEnd(decision)
  }

  /// Foresees, without the lock, what the next append will decide.
  func foresee(_ decided: DeviceDecision) throws(EventLogError) {
    isLossUntold = try lacksOwnEnd(decided)
    foreseen = isLossUntold ? .fresh(.lacksSyncedEvent) : decided
    rememberOwnEnd(foreseen)
  }

  /// Has those who come later know what only this writer does: that the journal was rolled back. It
  /// is no error where that fails; the next append finds it again.
  func tellOfLoss() {
    guard isLossUntold else { return }
    isLossUntold = false
    try? whileLocked { (_) throws(EventLogError) in }
  }

  /// Whether events of the own device were here and are gone, though `device.json` fits.
  ///
  /// What a writer has seen it remembers beyond `device.json`: a file that was rolled back together
  /// with its side folder looks to whoever comes later as if nothing had happened.
  private func lacksOwnEnd(_ decided: DeviceDecision) throws(EventLogError) -> Bool {
    guard case .same(let device) = decided else { return false }
    if formerDevices.contains(device) { return true }
    guard let ownEnd, ownEnd.event.device == device else { return false }
    return try checksum(of: ownEnd.event) != ownEnd.checksum
  }

  /// Notes up to where there are events of the own device, and under which IDs nothing more is to
  /// be written.
  func rememberOwnEnd(_ decided: DeviceDecision) {
    switch decided {
    case .same(let device):
      guard let index = pass.ledger.find(device) else { return }
      if let former = ownEnd?.event.device, former != device { formerDevices.insert(former) }
      let state = pass.ledger.devices[index]
      ownEnd = (EventID(device: device, sequence: state.last), state.checksum)
    case .fresh(.lacksSyncedEvent), .fresh(.otherEvent):
      // Those that the record speaks of are known by it alone.
      guard let known = judgedRecord else { return }
      if known.isRetired {
        formerDevices.insert(known.device)
      } else if ownEnd?.event.device != known.device
        || ownEnd!.event.sequence < known.sequence
      {
        ownEnd = (known.syncedEvent, known.checksum)
      }
    case .fresh(.continuedElsewhere), .fresh(.reissued):
      if let known = judgedRecord { formerDevices.insert(known.device) }
    case .fresh: break
    }
  }

  /// The checksum of an event that the journal holds; nil where it does not.
  func checksum(of event: EventID) throws(EventLogError) -> LineChecksum? {
    guard let file else { return nil }
    return try RangeReader.checksum(
      of: event, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
      size: pass.endOffset)
  }
}
