import EventLog

extension SimulatedWorld {
  func sync(
    _ device: TemporaryStore, _ peer: SimulatedAction.Peer,
    _ directions: ReplicationPlan.Directions, _ mishap: SimulatedAction.Mishap
  ) async throws(EventLogError) {
    let before = device.snapshot.frontier
    var remote: any Remote
    var other: TemporaryStore?
    switch peer {
    case .device(let number):
      let its = devices[number]
      try await its.store.sync()
      // Objects come whole or not at all: only journals are sent lines.
      remote = UnreliableRemote(base: its.remote, mishap: mishap)
      other = its
    case .folder: remote = folder
    case .cloud: remote = cloud
    }
    remote = tamper(remote)
    let otherBefore = other?.snapshot.frontier
    var left = Int.max
    if case .abandoned(let steps) = mishap { left = steps }
    syncCount += 1
    for try await progress in device.store.replication(with: remote, directions) {
      left -= 1
      if left <= 0 { break }
      guard case .finished(let report) = progress else { continue }
      if !report.forks.isEmpty { failures.append("a fork was seen: \(report.forks)") }
      if report.hasTwin { failures.append("a twin of \(device.name) was seen") }
    }
    try await refresh(device.store)
    noteLosses(of: device, since: before)
    if let other, let otherBefore {
      try await refresh(other.store)
      noteLosses(of: other, since: otherBefore)
    }
  }

  func noteLosses(of device: TemporaryStore, since before: VectorClock) {
    for (id, sequence) in before.entries where device.snapshot.frontier[id] < sequence {
      failures.append("\(device.name) held \(id):\(sequence) and holds it no more")
    }
  }

  /// Lets all meet until each holds what any of them held, and the shared places too, so that who
  /// comes later gets it.
  func meetAll(_ meeting: SimulationPlan.Meeting) async throws(EventLogError) {
    let last = devices.count - 1
    switch meeting {
    case .star: try await Devices.syncAll(devices)
    case .chain:
      for place in Array(0..<last) + (0..<last).reversed() {
        try await devices[place].sync(with: devices[place + 1])
      }
    case .folder:
      for device in devices + devices { try await device.sync(with: folder) }
    case .cloud:
      for device in devices + devices { try await device.sync(with: cloud) }
    case .replicatedFolder: try await meetAtReplicatedFolder()
    }
    try await devices[0].sync(with: folder)
    try await devices[last].sync(with: cloud)
  }

  /// Devices that come when all is over: one has only the folder, the other only the cloud.
  func latecomers() async throws(EventLogError) -> [TemporaryStore] {
    var latecomers: [TemporaryStore] = []
    for (name, remote) in [("late-at-the-folder", folder), ("late-at-the-cloud", cloud)]
      as [(String, any Remote)]
    {
      let device = try await TemporaryStore(
        device: name, user: "ada", bytes: nil, catalog: catalog, projections: [],
        clock: AdjustableClock(), seed: 99, on: disk)
      try await device.sync(with: remote)
      latecomers.append(device)
    }
    return latecomers
  }
}
