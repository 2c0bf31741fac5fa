import EventLog

extension SimulatedWorld {
  /// Refusals that any app must expect.
  private var expected: Set<EventLogError.Code> {
    let always: Set<EventLogError.Code> = [
      .noEntity, .deletedEntity, .entityExists, .invalidEvent, .changedMeanwhile, .noConflict,
    ]
    // The events of another version of the app have other types.
    return catalogs.count > 1 ? always.union([.unknownType]) : always
  }

  func append(
    _ drafts: [EventDraft], to device: SimulatedDevice, through store: EventStore? = nil,
    _ durability: Durability = .durable, asOf snapshot: Snapshot? = nil
  ) async throws(EventLogError) {
    let store = store ?? device.store.store
    try observe(device)
    do throws(EventLogError) {
      try acknowledge(
        try await store.append(drafts, asOf: snapshot, durability: durability), device)
    } catch {
      guard expected.contains(error.code) else { throw error }
    }
  }

  /// Records the events of an append and checks that only their lines are new.
  func acknowledge(
    _ receipt: AppendReceipt, _ device: SimulatedDevice
  ) throws(EventLogError) {
    let fresh = try observe(device)
    for event in receipt.appended.map(\.id) {
      let found = fresh.filter { $0.id.shortID == event }
      guard let line = found.first else {
        failures.append("\(event) was acknowledged, but is not in the journal of \(device.name)")
        continue
      }
      if !line.isNew {
        failures.append("\(device.name) wrote \(line.id), a number that its journal had mentioned")
      }
      acknowledged[line.id] = line.bytes
    }
    let named = Set(receipt.appended.map(\.id))
    for line in fresh
    where !named.contains(line.id.shortID) && !line.bytes.contains(text: "\"device.joined\"") {
      failures.append("an append to \(device.name) wrote \(line.id), but did not report it")
    }
  }

  func settle(
    _ conflict: Conflict, on device: SimulatedDevice, _ choice: SimulatedAction.Choice
  ) async throws(EventLogError) {
    try observe(device)
    do throws(EventLogError) {
      switch choice {
      case .candidate(let number):
        let event = conflict.candidates[number % conflict.candidates.count].event
        try acknowledge(try await device.store.resolve(conflict, taking: event), device)
      case .value(let seed):
        var values = ValueGenerator(random: SplitMix64(seed: seed))
        let value = values.value(settling: conflict, device.store.catalog)
        try acknowledge(try await device.store.resolve(conflict, with: value), device)
      }
      // The new line may also name a lost end. The rest of that batch is then admitted, and
      // conflicts with writes that haven't seen it.
      let settled = Set(conflict.candidates.map(\.fullID))
      let open = device.store.snapshot.conflicts.first { $0.id.hasBytes(of: conflict.id) }
      if open?.candidates.contains(where: { settled.contains($0.fullID) }) == true {
        failures.append("\(conflict.id) is open although it was just resolved")
      }
    } catch {
      guard expected.contains(error.code) else { throw error }
    }
  }

  /// Resolves all open conflicts on one device of a version, each with its last candidate.
  func settleAll(_ version: Int) async throws(EventLogError) {
    guard let device = devices.last(where: { self.version(of: $0) == version }) else { return }
    // Each resolution closes one conflict and opens none.
    for _ in device.store.snapshot.conflicts {
      guard let conflict = device.store.snapshot.conflicts.first else { return }
      try await settle(conflict, on: device, .candidate(conflict.candidates.count - 1))
      // A version of the app can't write a candidate that it can't read.
      guard device.store.snapshot.conflicts.contains(where: { $0.id == conflict.id }) else {
        continue
      }
      try await settle(conflict, on: device, .value(seed: 1))
    }
  }

  /// Ends the app in the middle of some work and restarts it.
  ///
  /// Acknowledged events must then exist; others may.
  func crash(
    _ number: Int, _ work: SimulatedAction.Work, _ changeCount: Int
  ) async throws(EventLogError) {
    let device = numbered[number]!
    let disk = device.store.disk
    try await device.close()
    // A store that opens or gets a report reads its journal in the background, and may then
    // write a checkpoint. If these changes were counted, a seed wouldn't always crash at the
    // same one.
    disk.reportChanges(false)
    try await device.store.reopen()
    try observe()
    for _ in 0..<2 { try await device.refresh() }
    (isTroubled, hasStrayEvents) = (true, true)
    disk.crash(afterChanges: changeCount, with: .inputOutput)
    do throws(EventLogError) {
      switch work {
      case .append(let drafts, let byteCount):
        disk.shortWrites(of: max(1, byteCount))
        try acknowledge(try await device.store.store.append(drafts), device)
      case .erase(let seed): try await erase(on: device, seed: seed)
      case .sync(let peer):
        guard let remote = try await remote(peer, of: number, .none) else { break }
        syncCount += 1
        for try await _ in device.store.replication(with: remote) {}
      }
    } catch {
      // The disk failed, or the events were refused.
    }
    disk.stopFailing()
    disk.reportChanges(true)
    try await device.store.reopen()
  }
}

extension [UInt8] {
  func contains(text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: text) }
  }
}
