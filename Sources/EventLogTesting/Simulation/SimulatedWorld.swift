import EventLog

/// The devices of a simulation, and the places that they share.
final class SimulatedWorld {
  /// By their numbers; copies come later.
  private(set) var numbered: [Int: TemporaryStore] = [:]
  /// Of all devices but some copies; its times do not depend on when the test runs.
  let disk = MemoryFileSystem(clock: .fixed(0))
  let folder: FolderRemote
  let cloudStorage = MemoryStorage(pageCount: 7)
  let cloud: ObjectRemote
  /// A folder of which each device has a copy.
  let replicated: ReplicatedFolder
  let catalog: SchemaCatalog
  let tamper: @Sendable (any Remote) -> any Remote
  private let seed: UInt64
  /// What the devices looked at last.
  private var looks: [Int: Snapshot] = [:]
  /// Second stores on the devices' journals.
  private var seconds: [Int: EventStore] = [:]
  /// Files that were kept.
  private var backups: [Int: DeviceBackup] = [:]
  /// Every event whose append has returned, with its line as it stood then.
  var acknowledged: [EventID: [UInt8]] = [:]
  /// Lines that were damaged, of those that a device had written itself and knows of.
  var damaged: [String: [EventID: [UInt8]]] = [:]
  /// Whether events are gone from everywhere.
  var hasLosses = false
  /// What is known of who has used which numbers.
  var numbers = UsedNumbers()
  /// What was seen to be wrong on the way.
  var failures: [String] = []
  var syncCount = 0
  /// Whether all were repaired: then no fork may be left.
  var isRepaired = false

  init(
    seed: UInt64, deviceCount: Int, _ catalog: SchemaCatalog,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote
  ) async throws(EventLogError) {
    self.catalog = catalog
    self.tamper = tamper
    self.seed = seed
    folder = FolderRemote(
      path: "/Shared", options: .repeatable(device: "folder", seed: seed, fileSystem: disk))
    cloud = ObjectRemote(cloudStorage, random: .seeded(seed))
    replicated = ReplicatedFolder(copyCount: SimulatedAction.deviceNames.count)
    let devices = try await Devices.meet(
      Array(SimulatedAction.deviceNames.prefix(deviceCount)), catalog: catalog, seed: seed, on: disk
    )
    for (number, device) in devices.enumerated() { numbered[number] = device }
  }

  /// All that there are, copies too.
  var devices: [TemporaryStore] { numbered.sorted { $0.key < $1.key }.map(\.value) }

  /// Does nothing for a device that is not there yet.
  func perform(_ action: SimulatedAction) async throws(EventLogError) {
    if case .atSharedPlace(let action) = action { return try await perform(action) }
    guard let number = action.device, let device = numbered[number] else { return }
    switch action {
    case .append(_, let drafts, let durability): try await append(drafts, to: device, durability)
    case .look: looks[number] = device.snapshot
    case .appendAsOf(_, let drafts): try await append(drafts, to: device, asOf: looks[number])
    case .appendBeside(_, let drafts):
      let second = try await second(number, device)
      try await append(drafts, to: device, through: second)
      try await refresh(device.store)
    case .settle(_, let conflict, let choice):
      let open = device.snapshot.conflicts
      if !open.isEmpty { try await settle(open[conflict % open.count], on: device, choice) }
    case .sync(_, let peer, let directions, let mishap):
      try await sync(device, peer, directions, mishap)
    case .setClock(_, let time): device.clock.set(to: time)
    case .reopen: try await reopen(number, device)
    case .copy(_, let copy, let copying):
      if numbered[copy] == nil { numbered[copy] = try await self.copy(device, copy, copying) }
    case .backUp:
      // What a store holds back would be lost with a real disk as well.
      try await device.store.sync()
      backups[number] = try device.backUp()
    case .restore(_, let restoring, let isOpen):
      guard let backup = backups[number] else { return }
      try await goBack(
        number, device, isOpen: isOpen, isUnseen: !isOpen && restoring == .allRolledBack
      ) { () throws(EventLogError) in try device.restore(backup, restoring) }
    case .cutOff(_, let lineCount):
      try await goBack(number, device, isOpen: true, isUnseen: false) {
        () throws(EventLogError) in try device.cutOff(lineCount)
      }
    case .damage(_, let line, let damage): try await self.damage(number, line, damage)
    case .repair(_, let cure, let isOpen): try await repair(number, cure, isOpen: isOpen)
    case .meetBadPeer(_, let other, let peer): try await meet(device, other, peer)
    case .atSharedPlace: break
    }
  }

  private func copy(
    _ device: TemporaryStore, _ number: Int, _ copying: DeviceCopying
  ) async throws(EventLogError) -> TemporaryStore {
    try await device.store.sync()
    let copy = try await device.copy(
      copying, named: SimulatedAction.deviceNames[number], seed: seed &+ UInt64(number))
    numbers.note(copying, of: device, as: copy)
    return copy
  }

  /// Puts an earlier state back.
  ///
  /// - Parameters:
  ///   - isOpen: whether the app runs meanwhile; else it is started again afterwards.
  ///   - isUnseen: whether nothing tells that it happened.
  private func goBack(
    _ number: Int, _ device: TemporaryStore, isOpen: Bool, isUnseen: Bool,
    _ change: () throws(EventLogError) -> Void
  ) async throws(EventLogError) {
    try await device.store.sync()
    let before = KeptEvents(try heldByDevices())
    try await self.change(number, isOpen: isOpen, change)
    forgetWhatIsGone(before, KeptEvents(try heldByDevices()))
    numbers.noteReturn(of: device, isUnseen: isUnseen)
  }

  /// Changes a device's files.
  ///
  /// - Parameter isOpen: whether the app runs meanwhile; else it is started again afterwards.
  func change(
    _ number: Int, isOpen: Bool, _ change: () async throws(EventLogError) -> Void
  ) async throws(EventLogError) {
    let device = numbered[number]!
    if !isOpen {
      try await seconds.removeValue(forKey: number)?.close()
      try await device.close()
    }
    try await change()
    if isOpen { try await refresh(device.store) } else { try await device.reopen() }
  }

  private func second(
    _ number: Int, _ device: TemporaryStore
  ) async throws(EventLogError) -> EventStore {
    if let open = seconds[number] { return open }
    let opened = try await device.openAgain()
    seconds[number] = opened
    return opened
  }

  private func reopen(_ number: Int, _ device: TemporaryStore) async throws(EventLogError) {
    // What another store has written meanwhile is no difference.
    try await refresh(device.store)
    let before = device.snapshot
    try await seconds.removeValue(forKey: number)?.close()
    try await device.reopen()
    if damaged[device.name] == nil, device.snapshot.json() != before.json() {
      failures.append("\(device.name) shows another state after it was started again")
    }
  }

  /// Ends and starts all, and looks whether second stores had come to show the same.
  func reopenAll() async throws(EventLogError) {
    for (number, device) in numbered.sorted(by: { $0.key < $1.key }) {
      if let second = seconds[number] {
        try await refresh(second)
        if damaged[device.name] == nil, second.snapshot.json() != device.snapshot.json() {
          failures.append("a second store of \(device.name) shows another state")
        }
      }
      try await reopen(number, device)
    }
  }

  /// Reads what others have written; where nobody has, there is no journal yet.
  func refresh(_ store: EventStore) async throws(EventLogError) {
    do throws(EventLogError) { try await store.refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }

  func heldByDevices() throws(EventLogError) -> HeldLines {
    var held = HeldLines()
    for device in devices { held.add(try lines(of: device)) }
    return held
  }

  /// What all of them hold, and the places that they share.
  func held() throws(EventLogError) -> HeldLines {
    var held = try heldByDevices()
    for bytes in try shared(.folder) + shared(.cloud) + replicated.ranges { held.add(bytes: bytes) }
    return held
  }

  /// The ranges in a place that all share.
  func shared(_ peer: SimulatedAction.Peer) throws(EventLogError) -> [[UInt8]] {
    if peer == .cloud {
      return cloudStorage.objects.filter { $0.key.hasSuffix(".jsonl") }.map(\.value)
    }
    guard let names = try? disk.contents(of: "/Shared") else { return [] }
    var contents: [[UInt8]] = []
    for name in names where name.hasSuffix(".jsonl") && !name.hasPrefix(".") {
      do throws(Errno) {
        contents.append(
          try disk.contents(ofFile: Path.join("/Shared", name), maximumBytes: 1 << 30))
      } catch {
        throw .inputOutput("read", name, error)
      }
    }
    return contents
  }

  /// What stands in a device's journal.
  func lines(of device: TemporaryStore) throws(EventLogError) -> [EventID: [UInt8]] {
    var lines: [EventID: [UInt8]] = [:]
    try device.replay { event, line in lines[event.id] = line }
    return lines
  }
}

extension SimulatedAction {
  /// Who acts.
  fileprivate var device: Int? {
    switch self {
    case .append(let device, _, _), .look(let device), .appendAsOf(let device, _),
      .settle(let device, _, _), .sync(let device, _, _, _), .setClock(let device, _),
      .reopen(let device), .appendBeside(let device, _), .copy(let device, _, _),
      .backUp(let device), .restore(let device, _, _), .cutOff(let device, _),
      .damage(let device, _, _), .repair(let device, _, _), .meetBadPeer(let device, _, _):
      device
    case .atSharedPlace: nil
    }
  }
}
