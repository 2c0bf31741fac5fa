import EventLog

extension SimulatedWorld {
  /// Replicates, with the mishap; nothing that was held may be lost by it.
  func sync(
    _ device: TemporaryStore, _ peer: SimulatedAction.Peer,
    _ directions: ReplicationPlan.Directions, _ mishap: SimulatedAction.Mishap
  ) async throws(EventLogError) {
    let before = device.snapshot.frontier
    var remote: any Remote = folder
    if case .device(let other) = peer {
      try await devices[other].store.sync()
      remote = devices[other].remote
    }
    // Files of a folder come whole or not at all: only journals are sent lines.
    if case .device = peer { remote = UnreliableRemote(base: remote, mishap: mishap) }
    remote = tamper(remote)
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
    try await refresh(device)
    if case .device(let other) = peer { try await refresh(devices[other]) }
    for (id, sequence) in before.entries where device.snapshot.frontier[id] < sequence {
      failures.append("\(device.name) held \(id):\(sequence) and holds it no more")
    }
  }

  /// Lets all meet until each holds what any of them held.
  func meetAll() async throws(EventLogError) {
    try await Devices.syncAll(devices)
    // And the folder has it too, so that who comes later gets it.
    try await devices[0].sync(with: folder)
  }

  /// A device that comes when all is over, and has only the folder.
  func latecomer() async throws(EventLogError) -> TemporaryStore {
    let device = try await TemporaryStore(
      device: "late", user: "ada", bytes: nil, catalog: catalog, projections: [],
      clock: AdjustableClock(), seed: 99)
    try await device.sync(with: folder)
    return device
  }
}
