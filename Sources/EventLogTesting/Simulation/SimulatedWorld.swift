import EventLog
import EventLogRemotes

/// The devices of a simulation, and the remotes that they share.
final class SimulatedWorld {
  /// The devices by number, to which copies are added later.
  var numbered: [Int: SimulatedDevice] = [:]
  /// The disk of all devices except some copies, with times that are the same in each run.
  let disk = MemoryFileSystem(clock: .fixed(0))
  let folder: FolderRemote
  let cloudStorage = MemoryStorage(pageCount: 7)
  /// A folder with a copy on each device.
  let replicated = ReplicatedFolder(copyCount: SimulatedAction.deviceNames.count)
  /// The collections of each version of the app, the oldest first.
  let catalogs: [SchemaCatalog]
  let tamper: @Sendable (any Remote) -> any Remote
  let seed: UInt64
  /// Each event whose append has returned and that isn't lost, with its original line.
  var acknowledged: [FullEventID: [UInt8]] = [:]
  /// Acknowledged events that exist nowhere anymore.
  private(set) var lost: Set<FullEventID> = []
  /// Device IDs that several copies may use, because they can't detect the copy.
  var sharedIDs: Set<DeviceID> = []
  /// Whether convergence may need extra syncs.
  var isTroubled = false
  /// Whether journals were damaged, or a peer made false statements.
  var hasDamage = false
  /// Whether a device has acknowledged a loss.
  var hasAcceptedLosses = false
  /// Whether something was erased, so that lines may have lost their contents.
  var hasErasures = false
  /// Whether events may exist that no append acknowledged.
  var hasStrayEvents = false
  /// The violations found so far.
  var failures: [String] = []
  var syncCount = 0

  init(
    seed: UInt64, deviceCount: Int, _ catalogs: [SchemaCatalog],
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote
  ) async throws(EventLogError) {
    self.catalogs = catalogs.enumerated().map { index, catalog in
      var catalog = catalog
      catalog.revision = index + 1
      return catalog
    }
    self.tamper = tamper
    self.seed = seed
    folder = FolderRemote(
      path: "/Shared", options: .repeatable(device: "folder", seed: seed, fileSystem: disk))
    let clock = AdjustableClock()
    for (number, name) in SimulatedAction.deviceNames.prefix(deviceCount).enumerated() {
      let device = try await TemporaryStore(
        device: name, user: "ada", bytes: nil, catalog: self.catalogs[number % catalogs.count],
        projections: [], clock: AdjustableClock(sharingTimeOf: clock),
        seed: seed &+ UInt64(number), on: disk)
      numbered[number] = SimulatedDevice(device)
    }
  }

  /// All devices by number, including copies.
  var devices: [SimulatedDevice] { numbered.sorted { $0.key < $1.key }.map(\.value) }

  /// The version of the app on a device, as an index into ``catalogs``.
  func version(of device: SimulatedDevice) -> Int {
    let collections = device.store.catalog.collections
    return catalogs.firstIndex { $0.collections == collections }!
  }

  /// Performs an action, unless one of its devices doesn't exist yet.
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
      // The second process can't know what the app hasn't written down yet.
      if device(number).isRolledBack { shareID(of: device(number)) }
      let second = try await device(number).openSecond()
      try await append(drafts, to: device(number), through: second)
      try await device(number).refresh()
    case .settle(let number, let conflict, let choice):
      let open = device(number).store.snapshot.conflicts
      if !open.isEmpty {
        try await settle(open[conflict % open.count], on: device(number), choice)
      }
    case .erase(let number, let seed): try await erase(on: device(number), seed: seed)
    case .setClock(let number, let time): device(number).store.clock.set(to: time)
    case .reopen(let number): try await reopen(device(number))
    case .update(let number):
      let next = min(version(of: device(number)) + 1, catalogs.count - 1)
      try await update(device(number), to: next)
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

  /// Checks the changes to all journals.
  func observe() throws(EventLogError) {
    for device in devices { try observe(device) }
  }

  /// Checks the changes to a device's journal.
  ///
  /// - Returns: The new events.
  @discardableResult
  func observe(_ device: SimulatedDevice) throws(EventLogError) -> [WatchedJournal.Line] {
    guard let change = try device.observe() else { return [] }
    if let failure = change.failure { failures.append("\(device.name): \(failure)") }
    if change.wasCut { try forgetWhatIsGone() }
    return change.fresh
  }

  // MARK: - Lost events

  /// Moves acknowledged events that exist nowhere anymore to `lost`.
  func forgetWhatIsGone() throws(EventLogError) {
    isTroubled = true
    let held = try heldAnywhere()
    // The first lines of a batch don't count without its last line.
    let lines = held.mapValues { ReferenceLine($0) }
    let histories = ReferenceHistories(lines.values.compactMap(\.self), user: "ada")
    let waiting = waitingForever(lines.compactMapValues(\.self))
    for (event, line) in acknowledged {
      if let other = held[event], !waiting.contains(event), isSame(other, as: line),
        histories.number(event).map(histories.shown.contains) ?? false
      {
        continue
      }
      acknowledged[event] = nil
      lost.insert(event)
    }
  }

  /// Returns the events that only a shared remote holds, and that no device can receive.
  ///
  /// They need an event that exists nowhere anymore. No line of a device names it, so no device can
  /// state that it is missing, and in a remote it may only be late.
  private func waitingForever(_ held: [FullEventID: ReferenceLine]) -> Set<FullEventID> {
    func needs(_ line: ReferenceLine) -> [FullEventID] {
      line.seen + [line.previous].compactMap(\.self)
    }
    let received = Set(devices.flatMap(\.lines.keys))
    var waiting = held.filter { !received.contains($0.key) }
    var known = received.union(received.compactMap { held[$0] }.flatMap(needs))
    while true {
      let next = waiting.filter { needs($0.value).allSatisfy(known.contains) }.keys
      if next.isEmpty { return Set(waiting.keys) }
      known.formUnion(next)
      for event in next { waiting[event] = nil }
    }
  }

  /// Returns the lines in all journals and shared remotes.
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
