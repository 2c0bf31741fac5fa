import EventLog

/// The devices of a simulation, and the places that they share.
final class SimulatedWorld {
  let devices: [TemporaryStore]
  /// Of all devices; its times do not depend on when the test runs.
  private let disk = MemoryFileSystem(clock: .fixed(0))
  private let folder: FolderRemote
  private let cloud: ObjectRemote
  private let catalog: SchemaCatalog
  private let tamper: @Sendable (any Remote) -> any Remote
  /// What the devices looked at last.
  private var looks: [Int: Snapshot] = [:]
  /// Every event whose append has returned.
  private(set) var acknowledged: [EventID] = []
  /// What was seen to be wrong on the way.
  private(set) var failures: [String] = []
  private(set) var syncCount = 0

  init(
    seed: UInt64, deviceCount: Int, _ catalog: SchemaCatalog,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote
  ) async throws(EventLogError) {
    self.catalog = catalog
    self.tamper = tamper
    devices = try await Devices.meet(
      (0..<deviceCount).map { "device\($0)" }, catalog: catalog, seed: seed, on: disk)
    folder = FolderRemote(
      path: "/Shared", options: .repeatable(device: "folder", seed: seed, fileSystem: disk))
    cloud = ObjectRemote(MemoryStorage(pageCount: 7), random: .seeded(seed))
  }

  func perform(_ action: SimulatedAction) async throws(EventLogError) {
    switch action {
    case .append(let device, let drafts):
      try await append(drafts, to: devices[device].store)
    case .look(let device): looks[device] = devices[device].snapshot
    case .appendAsOf(let device, let drafts):
      try await append(drafts, to: devices[device].store, asOf: looks[device])
    case .appendBeside(let device, let drafts):
      let second = try await devices[device].openAgain()
      try await append(drafts, to: second)
      try await second.close()
      try await refresh(devices[device])
    case .settle(let device, let conflict, let candidate):
      try await settle(devices[device].store, conflict, candidate)
    case .sync(let device, let peer, let directions, let mishap):
      try await sync(devices[device], peer, directions, mishap)
    case .setClock(let device, let time): devices[device].clock.set(to: time)
    case .reopen(let device):
      let before = devices[device].snapshot
      try await devices[device].reopen()
      if devices[device].snapshot.json() != before.json() {
        failures.append("device\(device) shows another state after it was started again")
      }
    }
  }

  private func refresh(_ device: TemporaryStore) async throws(EventLogError) {
    do throws(EventLogError) { try await device.store.refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }

  private static let expected: Set<EventLogError.Code> = [
    .noEntity, .deletedEntity, .entityExists, .invalidEvent, .changedMeanwhile, .noConflict,
  ]

  private func append(
    _ drafts: [EventDraft], to store: EventStore, asOf snapshot: Snapshot? = nil
  ) async throws(EventLogError) {
    do throws(EventLogError) {
      let receipt = try await store.append(drafts, asOf: snapshot)
      acknowledged += receipt.appended.map(\.id)
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
    }
  }

  private func settle(
    _ store: EventStore, _ conflict: Int, _ candidate: Int
  ) async throws(EventLogError) {
    let conflicts = store.snapshot.conflicts
    if conflicts.isEmpty { return }
    let chosen = conflicts[conflict % conflicts.count]
    do throws(EventLogError) {
      let receipt = try await store.resolve(
        chosen, taking: chosen.candidates[candidate % chosen.candidates.count].event)
      acknowledged += receipt.appended.map(\.id)
      if store.snapshot.conflicts.contains(where: { $0.id == chosen.id }) {
        failures.append("\(chosen.id) is open although it was just settled")
      }
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
    }
  }

  // MARK: - Replication

  private func sync(
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
      device: "late", bytes: nil, catalog: catalog, seed: 99)
    try await device.sync(with: folder)
    return device
  }
}

extension TemporaryStore {
  fileprivate convenience init(
    device: String, bytes: [UInt8]?, catalog: SchemaCatalog, seed: UInt64
  ) async throws(EventLogError) {
    try await self.init(
      device: device, user: "ada", bytes: bytes, catalog: catalog, projections: [],
      clock: AdjustableClock(), seed: seed)
  }
}
