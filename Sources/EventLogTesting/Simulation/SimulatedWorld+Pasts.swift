import EventLog
import EventLogInspection

/// Actions that copy devices, roll them back or damage them.
extension SimulatedWorld {
  func copy(
    _ device: SimulatedDevice, as number: Int, _ copying: DeviceCopying
  ) async throws(EventLogError) {
    guard numbered[number] == nil else { return }
    isTroubled = true
    try await device.store.store.sync()
    try observe(device)
    if copying == .wholeMachine { shareID(of: device) }
    numbered[number] = SimulatedDevice(
      try await device.store.copy(
        copying, named: SimulatedAction.deviceNames[number], seed: seed &+ UInt64(number)),
      of: device)
  }

  func backUp(_ device: SimulatedDevice) async throws(EventLogError) {
    // A backup of a real disk could miss buffered events, too, so write them first.
    try await device.store.store.sync()
    device.backup = try device.store.backUp()
  }

  func restore(
    _ device: SimulatedDevice, _ restoring: DeviceRestoring, isOpen: Bool
  ) async throws(EventLogError) {
    guard let backup = device.backup else { return }
    // An app reopens a journal whose file was replaced.
    let isReplaced = restoring == .journalReplaced || restoring == .allReplaced
    try await change(device, isOpen: isOpen && !isReplaced) { () throws(EventLogError) in
      try device.store.restore(backup, restoring)
    }
    guard restoring == .allRolledBack else { return }
    // Without a running process, the rollback can't be detected.
    if isOpen { device.isRolledBack = true } else { shareID(of: device) }
  }

  func cutOff(_ device: SimulatedDevice, _ lineCount: Int) async throws(EventLogError) {
    try await change(device, isOpen: true) { () throws(EventLogError) in
      try device.store.cutOff(lineCount)
    }
  }

  func reorder(_ device: SimulatedDevice, seed: UInt64) async throws(EventLogError) {
    var random = SplitMix64(seed: seed)
    try await change(device, isOpen: false) { () throws(EventLogError) in
      try device.store.changeJournal { bytes in
        // Among other lines, the end of an interrupted append would be damage.
        guard bytes.last == 0x0A else { return bytes }
        return bytes.split(separator: 0x0A).shuffled(using: &random).flatMap { $0 + [0x0A] }
      }
    }
  }

  /// Damages lines if enough others remain: a file without valid lines isn't a journal.
  func damage(
    _ device: SimulatedDevice, _ damage: SimulatedAction.Damage, isOpen: Bool
  ) async throws(EventLogError) {
    try await device.store.store.sync()
    try observe(device)
    guard device.lines.count > 3 + damage.lineCount else { return }
    hasDamage = true
    if isOpen { device.hasUnreadDamage = true }
    try await change(device, isOpen: isOpen) { () throws(EventLogError) in
      try device.store.changeJournal { damage.done(to: $0) }
    }
  }

  func acceptLoss(_ device: SimulatedDevice) async throws(EventLogError) {
    try await device.refresh()
    if device.store.snapshot.eventCount == 0 { return }
    let known = device.lines
    let report = try await device.store.journal.acceptLoss(options: device.store.options)
    hasAcceptedLosses = true
    try await device.refresh()
    let told = report.accepted.count
    let written = try observe(device).filter {
      known[$0.id] == nil && $0.bytes.contains(text: "\"device.lost\"")
    }
    if written.count != told {
      failures.append("\(device.name) accepted \(told) losses, but wrote \(written.count)")
    }
    for line in written { acknowledged[line.id] = line.bytes }
  }

  // MARK: - Files

  func shareID(of device: SimulatedDevice) {
    let store = device.store.store
    // A store without an ID for its next append may write under the recorded one after a sync.
    let record = SideFolder(beside: store.path, fileSystem: store.options.fileSystem).readRecord()
    if let id = device.store.deviceID ?? record?.device { sharedIDs.insert(id) }
  }

  /// Changes a device's files.
  ///
  /// - Parameter isOpen: Whether the app stays open. Otherwise, it is reopened afterwards.
  private func change(
    _ device: SimulatedDevice, isOpen: Bool, _ change: () throws(EventLogError) -> Void
  ) async throws(EventLogError) {
    try await device.store.store.sync()
    try observe(device)
    if !isOpen { try await device.close() }
    try change()
    try device.observeChange()
    try forgetWhatIsGone()
    if isOpen { try await device.refresh() } else { try await device.store.reopen() }
  }
}

extension SimulatedAction.Damage {
  /// The maximum number of lines that it destroys.
  fileprivate var lineCount: Int {
    switch self {
    case .flippedBit: 2
    case .linesCutOut(_, let count): count
    case .zeroedBytes(_, let count): 2 + count / 100
    }
  }

  fileprivate func done(to journal: [UInt8]) -> [UInt8] {
    var bytes = journal
    let starts = [0] + journal.indices.filter { journal[$0] == 0x0A }.map { $0 + 1 }
    let count = starts.count - 1
    switch self {
    case .flippedBit(let line, let byte, let bit):
      let line = line % count
      let length = starts[line + 1] - starts[line]
      bytes[starts[line] + min(length - 1, length * byte / 1000)] ^= 1 << UInt8(bit)
    case .linesCutOut(let line, let lineCount):
      let line = line % count
      bytes.removeSubrange(starts[line]..<starts[min(count, line + lineCount)])
    case .zeroedBytes(let line, let byteCount):
      let line = line % count
      let middle = (starts[line] + starts[line + 1]) / 2
      for index in middle..<min(starts[count], middle + byteCount) { bytes[index] = 0 }
    }
    return bytes
  }
}
