import EventLog
import EventLogInspection

extension SimulatedWorld {
  /// Syncs until all devices, the shared folder and the cloud hold every event.
  func syncAll(_ ending: SimulationPlan.Ending) async throws(EventLogError) {
    for device in devices where device.hasUnreadDamage { try await reopen(device) }
    if isTroubled {
      // An append moves a torn tail to quarantine.
      for device in devices { try await write(on: device) }
      // The shared remotes may have the only copy of an event.
      for number in numbered.keys.sorted() {
        for peer in SimulatedAction.Peer.shared { try await syncWell(number, peer) }
      }
      replicated.deliverAll()
      try await refillErased(on: devices)
    }
    let numbers = numbered.keys.sorted()
    let last = numbers.count - 1
    for _ in 0..<2 {
      switch ending {
      case .star:
        for number in numbers.dropFirst() { try await syncWell(numbers[0], .device(number)) }
      case .chain:
        for index in Array(0..<last) + (0..<last).reversed() {
          try await syncWell(numbers[index], .device(numbers[index + 1]))
        }
      case .pairs:
        for number in numbers {
          for other in numbers where other > number { try await syncWell(number, .device(other)) }
        }
      case .folder: for number in numbers { try await syncWell(number, .folder) }
      case .cloud: for number in numbers { try await syncWell(number, .cloud) }
      case .replicatedFolder:
        for number in numbers { try await syncWell(number, .replicatedFolder) }
        replicated.deliverAll()
      }
    }
    if ending == .replicatedFolder {
      for number in numbers { try await syncWell(number, .replicatedFolder) }
    }
    try await syncWell(numbers[0], .folder)
    try await syncWell(numbers[last], .cloud)
    try observe()
  }

  private func syncWell(_ number: Int, _ peer: SimulatedAction.Peer) async throws(EventLogError) {
    try await sync(number, peer, .both, .none)
  }

  /// Appends an event of an unknown type.
  private func write(on device: SimulatedDevice) async throws(EventLogError) {
    try observe(device)
    try acknowledge(
      try await device.store.append(
        [EventDraft(type: "simulation.ended", data: JSONObject())], allowingUnknownTypes: true),
      device)
  }

  func reopenAll() async throws(EventLogError) {
    for device in devices { try await reopen(device) }
  }

  /// Updates the app on all devices to the latest version.
  func updateAll() async throws(EventLogError) {
    for device in devices { try await update(device, to: catalogs.count - 1) }
  }

  /// Returns two new devices: one synced only with the folder, the other only with the cloud.
  func latecomers() async throws(EventLogError) -> [SimulatedDevice] {
    var latecomers: [SimulatedDevice] = []
    for (name, peer) in [
      ("late-at-the-folder", SimulatedAction.Peer.folder), ("late-at-the-cloud", .cloud),
    ] {
      let device = try await TemporaryStore(
        device: name, user: "ada", bytes: nil, catalog: catalogs[catalogs.count - 1],
        projections: [],
        clock: AdjustableClock(), seed: 99, on: disk)
      if let remote = try await remote(peer, of: 0, .none) { try await device.sync(with: remote) }
      let latecomer = SimulatedDevice(device)
      try await refillErased(on: [latecomer])
      try latecomer.observeChange()
      latecomers.append(latecomer)
    }
    return latecomers
  }

  /// Acknowledges the events that are still missing on each device.
  ///
  /// - Returns: Whether there were any.
  func acceptAllLosses() async throws(EventLogError) -> Bool {
    var isSound = true
    for device in devices where device.store.snapshot.eventCount > 0 {
      guard try !device.store.journal.verify().problems.isEmpty else { continue }
      isSound = false
      try await acceptLoss(device)
    }
    return !isSound
  }
}
