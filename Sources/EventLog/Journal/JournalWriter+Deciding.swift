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
    isLossUntold = false
    if try !isRemembered(decided) { try retireDevice(.rolledBack) }
  }

  /// Foresees, without the lock, what the next append will decide.
  func foresee(_ decided: DeviceDecision) throws(EventLogError) {
    isLossUntold = try !isRemembered(decided)
    foreseen = isLossUntold ? .fresh(.lacksSyncedEvent) : decided
  }

  /// Has those who come later know what only this writer does: that the journal was rolled back. It
  /// is no error where that fails; the next append finds it again.
  func tellOfLoss() {
    guard isLossUntold else { return }
    try? whileLocked { (_) throws(EventLogError) in }
  }

  /// Whether a decision by the files agrees with what was known before; takes note of what is to be
  /// known from now on.
  ///
  /// A file that was rolled back together with its side folder looks to whoever comes later as if
  /// nothing had happened.
  private func isRemembered(_ decided: DeviceDecision) throws(EventLogError) -> Bool {
    var isAllowed = true
    if let record = judgedRecord {
      isAllowed = try memory.allows(record.device) { (event) throws(EventLogError) in
        try checksum(of: event)
      }
      if isAllowed { memory.note(record, pass.ledger) }
      if decided == .fresh(.forked) { memory.giveUp(record.device) }
    }
    memory.meetAll(in: pass.ledger)
    return isAllowed || decided.device == nil
  }

  /// The checksum of an event that the journal holds; nil where it does not.
  func checksum(of event: EventID) throws(EventLogError) -> LineChecksum? {
    guard let file else { return nil }
    return try RangeReader.checksum(
      of: event, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
      size: pass.endOffset)
  }
}
