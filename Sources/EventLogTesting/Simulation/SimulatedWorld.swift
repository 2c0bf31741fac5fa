import EventLog

/// The devices of a simulation, and the places that they share.
final class SimulatedWorld {
  let devices: [TemporaryStore]
  /// Of all devices; its times do not depend on when the test runs.
  let disk = MemoryFileSystem(clock: .fixed(0))
  let folder: FolderRemote
  let cloudStorage = MemoryStorage(pageCount: 7)
  let cloud: ObjectRemote
  let replicated: ReplicatedFolder
  let catalog: SchemaCatalog
  let tamper: @Sendable (any Remote) -> any Remote
  /// What the devices looked at last.
  private var looks: [Int: Snapshot] = [:]
  /// Second stores on the devices' journals.
  private var seconds: [Int: EventStore] = [:]
  /// Every event whose append has returned, with its line as it stood then.
  var acknowledged: [EventID: [UInt8]] = [:]
  /// The last number that each device ID was seen to use.
  var lastUsed: [DeviceID: Int64] = [:]
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
      Array(SimulatedAction.deviceNames.prefix(deviceCount)), catalog: catalog, seed: seed, on: disk
    )
    folder = FolderRemote(
      path: "/Shared", options: .repeatable(device: "folder", seed: seed, fileSystem: disk))
    cloud = ObjectRemote(cloudStorage, random: .seeded(seed))
    replicated = ReplicatedFolder(copyCount: deviceCount)
  }

  func perform(_ action: SimulatedAction) async throws(EventLogError) {
    switch action {
    case .append(let device, let drafts, let durability):
      try await append(drafts, to: devices[device], durability)
    case .look(let device): looks[device] = devices[device].snapshot
    case .appendAsOf(let device, let drafts):
      try await append(drafts, to: devices[device], asOf: looks[device])
    case .appendBeside(let device, let drafts):
      let second = try await second(device)
      try await append(drafts, to: devices[device], through: second)
      try await refresh(devices[device].store)
    case .settle(let device, let conflict, let choice):
      let open = devices[device].snapshot.conflicts
      if !open.isEmpty {
        try await settle(open[conflict % open.count], on: devices[device], choice)
      }
    case .sync(let device, let peer, let directions, let mishap):
      try await sync(devices[device], peer, directions, mishap)
    case .setClock(let device, let time): devices[device].clock.set(to: time)
    case .reopen(let device): try await reopen(device)
    case .atSharedPlace(let action): try await perform(action)
    }
  }

  private func second(_ device: Int) async throws(EventLogError) -> EventStore {
    if let open = seconds[device] { return open }
    let opened = try await devices[device].openAgain()
    seconds[device] = opened
    return opened
  }

  private func reopen(_ number: Int) async throws(EventLogError) {
    let device = devices[number]
    // What another store has written meanwhile is no difference.
    try await refresh(device.store)
    let before = device.snapshot
    try await seconds.removeValue(forKey: number)?.close()
    try await device.reopen()
    if device.snapshot.json() != before.json() {
      failures.append("\(device.name) shows another state after it was started again")
    }
  }

  /// Ends and starts all, and looks whether second stores had come to show the same.
  func reopenAll() async throws(EventLogError) {
    for (number, device) in devices.enumerated() {
      if let second = seconds[number] {
        try await refresh(second)
        if second.snapshot.json() != device.snapshot.json() {
          failures.append("a second store of \(device.name) shows another state")
        }
      }
      try await reopen(number)
    }
  }

  /// Reads what others have written; where nobody has, there is no journal yet.
  func refresh(_ store: EventStore) async throws(EventLogError) {
    do throws(EventLogError) { try await store.refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }
}
