import EventLog

/// The devices of a simulation, and the folder that they share.
final class SimulatedWorld {
  let devices: [TemporaryStore]
  let folder: ObjectRemote
  let catalog: SchemaCatalog
  let tamper: @Sendable (any Remote) -> any Remote
  /// What the devices looked at last.
  private var looks: [Int: Snapshot] = [:]
  /// Every event whose append has returned, with its line as it stood then.
  private(set) var acknowledged: [EventID: [UInt8]] = [:]
  /// What was seen to be wrong on the way.
  var failures: [String] = []
  var syncCount = 0

  init(
    seed: UInt64, deviceCount: Int, _ catalog: SchemaCatalog,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote
  ) async throws(EventLogError) {
    self.catalog = catalog
    self.tamper = tamper
    devices = try await Devices.meet(
      (0..<deviceCount).map { "device\($0)" }, catalog: catalog, seed: seed)
    folder = ObjectRemote(MemoryStorage(pageCount: 7), random: .seeded(seed))
  }

  func perform(_ action: SimulatedAction) async throws(EventLogError) {
    switch action {
    case .append(let device, let drafts):
      try await append(drafts, to: devices[device])
    case .look(let device): looks[device] = devices[device].snapshot
    case .appendAsOf(let device, let drafts):
      try await append(drafts, to: devices[device], asOf: looks[device])
    case .appendBeside(let device, let drafts):
      let second = try await devices[device].openAgain()
      try await append(drafts, to: devices[device], through: second)
      try await second.close()
      try await refresh(devices[device])
    case .settle(let device, let conflict, let choice):
      let open = devices[device].snapshot.conflicts
      if !open.isEmpty { try await settle(open[conflict % open.count], devices[device], choice) }
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

  func refresh(_ device: TemporaryStore) async throws(EventLogError) {
    do throws(EventLogError) { try await device.store.refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }

  /// Refusals that any app must expect.
  static let expected: Set<EventLogError.Code> = [
    .noEntity, .deletedEntity, .entityExists, .invalidEvent, .changedMeanwhile, .noConflict,
  ]

  private func append(
    _ drafts: [EventDraft], to device: TemporaryStore, through store: EventStore? = nil,
    asOf snapshot: Snapshot? = nil
  ) async throws(EventLogError) {
    do throws(EventLogError) {
      let receipt = try await (store ?? device.store).append(drafts, asOf: snapshot)
      try note(receipt, device)
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
    }
  }

  /// Keeps the lines of what was just appended, as the journal has them.
  func note(
    _ receipt: AppendReceipt, _ device: TemporaryStore
  ) throws(EventLogError) {
    let ids = Set(receipt.appended.map(\.id))
    if ids.isEmpty { return }
    try device.replay { event, line in
      if ids.contains(event.id) { acknowledged[event.id] = line }
    }
    for id in ids where acknowledged[id] == nil {
      failures.append("\(id) was acknowledged and is not in the journal of \(device.name)")
    }
  }
}
