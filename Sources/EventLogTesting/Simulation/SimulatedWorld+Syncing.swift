import EventLog
import EventLogRemotes

extension SimulatedWorld {
  /// Returns the remote of a peer, or nil if it doesn't exist yet or is the device itself.
  ///
  /// Lines are disturbed only between journals: objects arrive whole or not at all.
  func remote(
    _ peer: SimulatedAction.Peer, of device: Int, _ mishap: SimulatedAction.Mishap
  ) async throws(EventLogError) -> (any Remote)? {
    let random = RandomText.seeded(UInt64(syncCount))
    let storage: any ObjectStorage
    switch peer {
    case .device(let other):
      guard other != device, let its = numbered[other]?.store else { return nil }
      // Buffered events are part of its contents.
      try await its.store.sync()
      guard case .lines(let mishap) = mishap else { return tamper(its.remote) }
      return tamper(UnreliableRemote(base: its.remote, mishap: mishap))
    case .folder:
      storage = FolderStorage(path: folder.address, fileSystem: disk, random: random)
    case .cloud: storage = cloudStorage
    case .replicatedFolder: storage = replicated.storage(of: device)
    }
    guard case .objects(let mishap) = mishap else {
      return tamper(ObjectRemote(storage, random: random))
    }
    return tamper(ObjectRemote(UnreliableStorage(storage, mishap), random: random))
  }

  func sync(
    _ number: Int, _ peer: SimulatedAction.Peer, _ directions: ReplicationPlan.Directions,
    _ mishap: SimulatedAction.Mishap, repetition: Int = 0
  ) async throws(EventLogError) {
    let device = numbered[number]!
    guard let remote = try await remote(peer, of: number, mishap) else { return }
    syncCount += 1
    var steps = 0
    do throws(EventLogError) {
      for try await progress in device.store.replication(with: remote, directions) {
        steps += 1
        if case .finished(let report) = progress { try check(report, device, peer, mishap) }
        switch mishap {
        case .writing(let drafts, let step) where step == steps:
          try await append(drafts, to: device)
        default: break
        }
        if case .abandoned(let most) = mishap, steps >= most { break }
      }
    } catch {
      if error.code == .inputOutput, repetition < 2,
        try await reopenDamaged(device, self.device(peer))
      {
        // Once with the reading of the reopened store, which may come from a checkpoint, and once
        // without.
        return try await sync(number, peer, directions, .none, repetition: repetition + 1)
      }
      // A remote may not answer, and a new one may list its first object late.
      guard error.code == .remoteFailed, case .objects(let mishap) = mishap else { throw error }
      switch mishap {
      case .unreachable, .late: break
      // An object with erased contents is only removed after its replacement was read back.
      case .halved, .vanishing: if !hasErasures { throw error }
      case .doubled: throw error
      }
    }
    try await device.refresh()
    if case .device(let other) = peer { try await numbered[other]?.refresh() }
  }

  /// Reopens devices with unread damage, which may have made a sync fail.
  ///
  /// A checkpoint hides damage before it also from a reopened store. A sync that finds it distrusts
  /// that reading, so that the next one succeeds.
  ///
  /// - Returns: Whether any of the devices is damaged.
  private func reopenDamaged(_ devices: SimulatedDevice?...) async throws(EventLogError) -> Bool {
    let damaged = devices.compactMap(\.self).filter {
      $0.hasUnreadDamage || !$0.journal.failing.isEmpty
    }
    for device in damaged where device.hasUnreadDamage { try await reopen(device) }
    return !damaged.isEmpty
  }

  private func device(_ peer: SimulatedAction.Peer) -> SimulatedDevice? {
    if case .device(let number) = peer { numbered[number] } else { nil }
  }

  func syncAtOnce(
    _ number: Int, _ peer: SimulatedAction.Peer, _ other: Int, _ another: SimulatedAction.Peer
  ) async throws(EventLogError) {
    guard let one = try await remote(peer, of: number, .none),
      let two = try await remote(another, of: other, .none)
    else { return }
    syncCount += 2
    var first = numbered[number]!.store.replication(with: one).makeAsyncIterator()
    var second = numbered[other]!.store.replication(with: two).makeAsyncIterator()
    var isMore = true
    do throws(EventLogError) {
      while isMore {
        let (left, right) = (try await first.next(), try await second.next())
        isMore = left != nil || right != nil
      }
    } catch {
      guard error.code == .inputOutput,
        try await reopenDamaged(
          numbered[number], numbered[other], self.device(peer), self.device(another))
      else { throw error }
      try await sync(number, peer, .both, .none)
      try await sync(other, another, .both, .none)
    }
    for device in devices { try await device.refresh() }
  }

  /// Syncs with a device that violates the protocol.
  ///
  /// Checks that both sides accept only lines that one of them held.
  func sync(
    _ device: SimulatedDevice, with other: SimulatedDevice, _ peer: BadPeer
  ) async throws(EventLogError) {
    if device === other { return }
    for one in [device, other] {
      try await one.store.store.sync()
      try observe(one)
    }
    var heldLines = device.lines
    for held in [other.lines, device.journal.formerLines, other.journal.formerLines] {
      heldLines.merge(held) { first, _ in first }
    }
    if let strange = peer.strangeLines, peer == .unseenEvent {
      var reader = LineCollector()
      var scanner = LineScanner()
      scanner.scanLines(strange.lines[0] + [0x0A], into: &reader)
      heldLines[reader.lines[0].id] = reader.lines[0].bytes
    }
    (isTroubled, hasDamage, hasStrayEvents) = (true, true, true)
    syncCount += 1
    do throws(EventLogError) {
      let remote = BadRemote(base: other.store.remote, peer: peer, seed: UInt64(syncCount))
      try await device.store.sync(with: remote)
    } catch {
      let isExpected = [.remoteFailed, .otherUser, .noJournal].contains(error.code)
      if !isExpected {
        guard error.code == .inputOutput, try await reopenDamaged(device, other) else {
          throw error
        }
      }
    }
    for one in [device, other] {
      try await one.refresh()
      for line in try observe(one)
      where heldLines[line.id].map({ isSame(line.bytes, as: $0) }) != true {
        failures.append("\(one.name) has accepted \(line.id) of \(other.name), which \(peer.text)")
      }
    }
  }

  /// Checks that a report contains no false forks or duplicate writers.
  private func check(
    _ report: SyncReport, _ device: SimulatedDevice, _ peer: SimulatedAction.Peer,
    _ mishap: SimulatedAction.Mishap
  ) throws(EventLogError) {
    let told = Set(report.forks.map(\.device))
    for fork in told where !sharedIDs.contains(fork) {
      failures.append("\(device.name) reported a fork of \(fork) where there is none")
    }
    if report.hasDuplicateWriter, !isTroubled {
      failures.append("a duplicate writer of \(device.name) was reported where there is none")
    }
  }
}
