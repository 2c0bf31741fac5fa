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
    if try lacksOwnEnd(decided) { return try retireDevice(.rolledBack) }
    rememberOwnEnd(decided)
  }

  /// Foresees, without the lock, what the next append will decide.
  func foresee(_ decided: DeviceDecision) throws(EventLogError) {
    foreseen = try lacksOwnEnd(decided) ? .fresh(.lacksSyncedEvent) : decided
    rememberOwnEnd(foreseen)
  }

  /// Whether events of the own device were here and are gone, though `device.json` fits.
  ///
  /// What a writer has seen it remembers beyond `device.json`: a file that was rolled back together
  /// with its side folder looks to whoever comes later as if nothing had happened.
  private func lacksOwnEnd(_ decided: DeviceDecision) throws(EventLogError) -> Bool {
    guard case .same(let device) = decided, let ownEnd else { return false }
    if ownEnd.event.device != device { return formerDevices.contains(device) }
    return try checksum(of: ownEnd.event) != ownEnd.checksum
  }

  /// Notes up to where events of the own device were seen.
  func rememberOwnEnd(_ decided: DeviceDecision) {
    guard case .same(let device) = decided, let index = pass.ledger.find(device) else { return }
    if let former = ownEnd?.event.device, former != device { formerDevices.insert(former) }
    let state = pass.ledger.devices[index]
    ownEnd = (EventID(device: device, sequence: state.last), state.checksum)
  }
}
