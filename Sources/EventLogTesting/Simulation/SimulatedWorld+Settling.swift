import EventLog

extension SimulatedWorld {
  /// Settles it, unless nothing of the choice is allowed.
  func settle(
    _ conflict: Conflict, _ device: TemporaryStore, _ choice: SimulatedAction.Choice
  ) async throws(EventLogError) {
    switch choice {
    case .candidate(let number):
      let candidate = conflict.candidates[number % conflict.candidates.count]
      try await settle(device, conflict) { (store) throws(EventLogError) in
        try await store.resolve(conflict, taking: candidate.event)
      }
    case .value(let values):
      for value in values {
        let isSettled = try await settle(device, conflict) { (store) throws(EventLogError) in
          try await store.resolve(conflict, with: value)
        }
        if isSettled { return }
      }
    }
  }

  /// - Returns: whether it was allowed.
  @discardableResult
  private func settle(
    _ device: TemporaryStore, _ conflict: Conflict,
    _ body: (EventStore) async throws(EventLogError) -> AppendReceipt
  ) async throws(EventLogError) -> Bool {
    do throws(EventLogError) {
      try note(try await body(device.store), device)
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
      return false
    }
    if device.snapshot.conflicts.contains(where: { $0.id == conflict.id }) {
      failures.append("\(conflict.id) is open although it was just settled")
    }
    return true
  }

  /// Lets one device settle all that is open, each by its last candidate.
  func settleAll() async throws(EventLogError) {
    let device = devices[devices.count - 1]
    // Each settling ends one conflict and begins none, so there are not more than these.
    for _ in device.snapshot.conflicts {
      guard let conflict = device.snapshot.conflicts.first else { return }
      try await settle(conflict, device, .candidate(conflict.candidates.count - 1))
    }
  }
}
