import EventLog

extension SimulatedWorld {
  /// Refusals that any app must expect.
  private static let expected: Set<EventLogError.Code> = [
    .noEntity, .deletedEntity, .entityExists, .invalidEvent, .changedMeanwhile, .noConflict,
  ]

  func append(
    _ drafts: [EventDraft], to device: TemporaryStore, through store: EventStore? = nil,
    _ durability: Durability = .durable, asOf snapshot: Snapshot? = nil
  ) async throws(EventLogError) {
    let store = store ?? device.store
    do throws(EventLogError) {
      try acknowledge(
        try await store.append(drafts, asOf: snapshot, durability: durability), device)
    } catch {
      // Of a damaged journal it may be unknown whose it is.
      if error.code == .damaged, damaged[device.name] != nil { return }
      guard Self.expected.contains(error.code) else { throw error }
    }
  }

  private func acknowledge(
    _ receipt: AppendReceipt, _ device: TemporaryStore
  ) throws(EventLogError) {
    let events = receipt.appended.map(\.id)
    if events.isEmpty { return }
    var lines: [EventID: [UInt8]] = [:]
    try device.replay { event, line in
      if events.contains(event.id) { lines[event.id] = line }
    }
    for event in events {
      guard let line = lines[event] else {
        failures.append("\(event) was acknowledged and is not in the journal of \(device.name)")
        continue
      }
      acknowledged[event] = line
      if let failure = numbers.note(event, line, by: device) { failures.append(failure) }
    }
  }

  func settle(
    _ conflict: Conflict, on device: TemporaryStore, _ choice: SimulatedAction.Choice
  ) async throws(EventLogError) {
    do throws(EventLogError) {
      switch choice {
      case .candidate(let number):
        let event = conflict.candidates[number % conflict.candidates.count].event
        try acknowledge(try await device.resolve(conflict, taking: event), device)
      case .value(let seed):
        var values = ValueGenerator(random: SplitMix64(seed: seed))
        let value = values.value(settling: conflict, catalog)
        try acknowledge(try await device.resolve(conflict, with: value), device)
      }
      if damaged[device.name] == nil,
        device.snapshot.conflicts.contains(where: {
          $0.id.utf8.elementsEqual(conflict.id.utf8)
        })
      {
        failures.append("\(conflict.id) is open although it was just settled")
      }
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
    }
  }

  /// Lets one device settle all that is open, each by its last candidate.
  func settleAll() async throws(EventLogError) {
    let device = devices[devices.count - 1]
    // Each settling ends one conflict and begins none, so there are not more than these.
    for _ in device.snapshot.conflicts {
      guard let conflict = device.snapshot.conflicts.first else { return }
      try await settle(conflict, on: device, .candidate(conflict.candidates.count - 1))
    }
  }
}
