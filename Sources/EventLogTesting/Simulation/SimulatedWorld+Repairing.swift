import EventLog

extension SimulatedWorld {
  /// Damages a line, while the app does not run.
  func damage(_ number: Int, _ line: Int, _ damage: LineDamage) async throws(EventLogError) {
    let device = numbered[number]!
    try await device.store.sync()
    let before = try lines(of: device)
    // One whose lines are all damaged is no journal any more.
    if before.count < 3 { return }
    let keptBefore = KeptEvents(try held())
    try await change(number, isOpen: false) { () throws(EventLogError) in
      try device.damage(lineAt: line % before.count, damage)
    }
    let after = try lines(of: device)
    for (event, line) in before where after[event] != line {
      damaged[device.name, default: [:]][event] = line
    }
    // A place gives no more of what somebody has given up.
    let kept = numbers.hasReissues ? try heldByDevices() : try held()
    forgetWhatIsGone(keptBefore, KeptEvents(kept))
    numbers.noteDamage()
  }

  /// What nobody holds any more is gone.
  func forgetWhatIsGone(_ before: KeptEvents, _ after: KeptEvents) {
    for (event, line) in acknowledged where before.hold(line, event) && !after.hold(line, event) {
      acknowledged[event] = nil
      hasLosses = true
    }
  }

  /// Repairs a journal.
  func repair(
    _ number: Int, _ cure: SimulatedAction.Cure, isOpen: Bool
  ) async throws(EventLogError) {
    guard let remote = remote(cure) else { return }
    try await change(number, isOpen: isOpen) { () async throws(EventLogError) in
      _ = try await repair(numbered[number]!, cure, from: remote.remote)
    }
  }

  /// Where a cure comes from: nil where that is not there; none where it needs nobody.
  private func remote(_ cure: SimulatedAction.Cure) -> (remote: (any Remote)?, Void)? {
    switch cure {
    case .from(.folder): return (folder, ())
    case .from(.cloud): return (cloud, ())
    case .from(.device(let other)): return numbered[other].map { ($0.remote, ()) }
    case .alone, .givingUp: return (nil, ())
    }
  }

  /// - Returns: what it did; nil where there was nothing to do it with.
  private func repair(
    _ device: TemporaryStore, _ cure: SimulatedAction.Cure, from remote: (any Remote)?
  ) async throws(EventLogError) -> RepairReport? {
    let before = try lines(of: device)
    if before.isEmpty { return nil }
    let report: RepairReport
    do throws(EventLogError) {
      if let remote {
        report = try await device.journal.repair(from: remote, options: device.options)
      } else {
        report = try await device.journal.repair(
          givingUp: cure == .givingUp, options: device.options)
      }
    } catch {
      // Nobody there holds anything.
      guard error.code == .noJournal else { throw error }
      return nil
    }
    numbers.note(report)
    let after = KeptEvents(HeldLines(try lines(of: device)))
    for (event, line) in before where !after.hold(line, event) {
      failures.append("a repair of \(device.name) has lost \(event)")
    }
    return report
  }

  // MARK: - All

  /// Repairs all, each from each other one and from the places that they share, until nothing is
  /// left to repair, and gives up what is gone for good.
  ///
  /// - Returns: what is left to repair then.
  func repairAll() async throws(EventLogError) -> [String] {
    var left = try await repairFromAll()
    for device in devices where try isDamaged(device) {
      _ = try await repair(device, .givingUp, from: nil)
      left = []
    }
    if left.isEmpty { left = try await repairFromAll() }
    for device in devices { try await refresh(device.store) }
    damaged = [:]
    isRepaired = true
    return left
  }

  private func isDamaged(_ device: TemporaryStore) throws(EventLogError) -> Bool {
    guard device.snapshot.eventCount > 0 else { return false }
    return try !device.journal.verify().problems.isEmpty
  }

  private func repairFromAll() async throws(EventLogError) -> [String] {
    let roundsMax = 4
    for _ in 0..<roundsMax {
      var hasChanged = false
      var left: [String] = []
      for device in devices {
        for remote in remotes(besides: device) {
          guard let report = try await repair(device, .alone, from: remote) else { continue }
          if !report.isEmpty { hasChanged = true }
          left += report.forks.map {
            "\(device.name) and \(remote.address) differ about \($0.event): \($0.reason)"
          }
        }
      }
      if !hasChanged { return left }
    }
    return ["the \(roundsMax)th round of repairs still finds something to repair"]
  }

  private func remotes(besides device: TemporaryStore) -> [any Remote] {
    devices.filter { $0 !== device }.map(\.remote) + [folder, cloud]
  }

  // MARK: - Bad peers

  /// Replicates with a device that does not keep to what it should: nothing comes of it but what
  /// that device holds.
  func meet(
    _ device: TemporaryStore, _ other: Int, _ peer: BadPeer
  ) async throws(EventLogError) {
    guard let its = numbered[other], its !== device else { return }
    try await its.store.sync()
    try await device.store.sync()
    var given = HeldLines(try lines(of: device))
    given.add(try lines(of: its))
    if let strange = peer.strangeLines, peer == .unseenEvent {
      given.add([EventID(device: strange.device, sequence: 1): strange.lines[0]])
    }
    syncCount += 1
    do throws(EventLogError) {
      let remote = BadRemote(base: its.remote, peer: peer, seed: UInt64(syncCount))
      try await device.store.sync(with: remote)
    } catch {
      guard [.remoteFailed, .otherUser, .noJournal].contains(error.code) else { throw error }
    }
    for store in [device.store, its.store] { try await refresh(store) }
    for one in [device, its] {
      for (event, line) in try lines(of: one) where given.lines[event]?.contains(line) != true {
        failures.append("\(one.name) has taken \(event) of \(its.name), which \(peer.text)")
      }
    }
    numbers.noteDamage()
  }
}
