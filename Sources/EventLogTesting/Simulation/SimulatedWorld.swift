import EventLog

/// The devices of a simulation, and the places that they share.
final class SimulatedWorld {
  /// By their numbers; copies come later.
  var numbered: [Int: SimulatedDevice] = [:]
  /// Of all devices but some copies; its times do not depend on when the test runs.
  let disk = MemoryFileSystem(clock: .fixed(0))
  let folder: FolderRemote
  let cloudStorage = MemoryStorage(pageCount: 7)
  /// A folder of which each device has a copy.
  let replicated = ReplicatedFolder(copyCount: SimulatedAction.deviceNames.count)
  let catalog: SchemaCatalog
  let tamper: @Sendable (any Remote) -> any Remote
  let seed: UInt64
  /// Every event whose append has returned and that is not lost, with its line as it stood then.
  var acknowledged: [FullEventID: [UInt8]] = [:]
  /// What was acknowledged and is gone from everywhere.
  private(set) var lost: Set<FullEventID> = []
  /// Device IDs under which several may write, because nothing tells a copy from its original.
  var sharedIDs: Set<DeviceID> = []
  /// Whether something happened that a single round of syncs may not make good.
  var isTroubled = false
  /// Whether bytes of journals were damaged, or somebody was told what is not so.
  var hasDamage = false
  /// Whether somebody has acknowledged a loss.
  var hasAcceptedLosses = false
  /// Whether events may be there that nobody acknowledged.
  var hasStrayEvents = false
  /// What was seen to be wrong on the way.
  var failures: [String] = []
  var syncCount = 0

  init(
    seed: UInt64, deviceCount: Int, _ catalog: SchemaCatalog,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote
  ) async throws(EventLogError) {
    self.catalog = catalog
    self.tamper = tamper
    self.seed = seed
    folder = FolderRemote(
      path: "/Shared", options: .repeatable(device: "folder", seed: seed, fileSystem: disk))
    let devices = try await Devices.meet(
      Array(SimulatedAction.deviceNames.prefix(deviceCount)), catalog: catalog, seed: seed, on: disk
    )
    for (number, device) in devices.enumerated() { numbered[number] = SimulatedDevice(device) }
  }

  /// All that there are, copies too.
  var devices: [SimulatedDevice] { numbered.sorted { $0.key < $1.key }.map(\.value) }

  /// Does nothing for a device that is not there yet.
  func perform(_ action: SimulatedAction) async throws(EventLogError) {
    guard action.devices.allSatisfy({ numbered[$0] != nil }) else { return }
    try await carryOut(action)
    try observe()
  }

  private func carryOut(_ action: SimulatedAction) async throws(EventLogError) {
    func device(_ number: Int) -> SimulatedDevice { numbered[number]! }
    switch action {
    case .append(let number, let drafts, let durability):
      try await append(drafts, to: device(number), durability)
    case .look(let number): device(number).look = device(number).store.snapshot
    case .appendAsOf(let number, let drafts):
      try await append(drafts, to: device(number), asOf: device(number).look)
    case .appendBeside(let number, let drafts):
      let second = try await device(number).openSecond()
      try await append(drafts, to: device(number), through: second)
      try await device(number).refresh()
    case .settle(let number, let conflict, let choice):
      let open = device(number).store.snapshot.conflicts
      if !open.isEmpty {
        try await settle(open[conflict % open.count], on: device(number), choice)
      }
    case .setClock(let number, let time): device(number).store.clock.set(to: time)
    case .reopen(let number): try await reopen(device(number))
    case .inspect(let number): try await inspect(device(number))
    case .sync(let number, let peer, let directions, let mishap):
      try await sync(number, peer, directions, mishap)
    case .syncAtOnce(let number, let peer, let other, let another):
      try await syncAtOnce(number, peer, other, another)
    case .syncWithBadPeer(let number, let other, let peer):
      try await sync(device(number), with: device(other), peer)
    case .deliver(let seed): replicated.deliver(seed: seed)
    case .copy(let number, let copy, let copying):
      try await self.copy(device(number), as: copy, copying)
    case .backUp(let number): try await backUp(device(number))
    case .restore(let number, let restoring, let isOpen):
      try await restore(device(number), restoring, isOpen: isOpen)
    case .cutOff(let number, let lineCount): try await cutOff(device(number), lineCount)
    case .reorder(let number, let seed): try await reorder(device(number), seed: seed)
    case .damage(let number, let damage, let isOpen):
      try await self.damage(device(number), damage, isOpen: isOpen)
    case .crash(let number, let work, let count): try await crash(number, work, count)
    case .acceptLoss(let number): try await acceptLoss(device(number))
    }
  }

  /// Looks what became of all journals.
  func observe() throws(EventLogError) {
    for device in devices { try observe(device) }
  }

  /// - Returns: the events that came.
  @discardableResult
  func observe(_ device: SimulatedDevice) throws(EventLogError) -> [WatchedJournal.Line] {
    guard let change = try device.observe() else { return [] }
    if let failure = change.failure { failures.append("\(device.name): \(failure)") }
    if change.wasCut { try forgetWhatIsGone() }
    return change.fresh
  }

  // MARK: - What is gone

  /// Takes note of acknowledged events that are nowhere any more.
  func forgetWhatIsGone() throws(EventLogError) {
    isTroubled = true
    let held = try heldAnywhere()
    // The beginning of a batch is nothing without its end.
    let histories = ReferenceHistories(held.values.compactMap { ReferenceLine($0) }, user: "ada")
    for (event, line) in acknowledged {
      if held[event] == line, histories.number(event).map(histories.shown.contains) ?? false {
        continue
      }
      acknowledged[event] = nil
      lost.insert(event)
    }
  }

  /// The lines that stand in any journal, or in a place that devices share.
  func heldAnywhere() throws(EventLogError) -> [FullEventID: [UInt8]] {
    var held: [FullEventID: [UInt8]] = [:]
    for device in devices { held.merge(device.lines) { first, _ in first } }
    var reader = LineCollector()
    var scanner = LineScanner()
    for bytes in try folderRanges() + cloudStorage.ranges + replicated.ranges {
      scanner.scanLines(bytes, into: &reader)
    }
    for line in reader.lines { held[line.id] = line.bytes }
    return held
  }

  private func folderRanges() throws(EventLogError) -> [[UInt8]] {
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
}

extension MemoryStorage {
  fileprivate var ranges: [[UInt8]] {
    objects.filter { $0.key.hasSuffix(".jsonl") }.sorted { $0.key < $1.key }.map(\.value)
  }
}
