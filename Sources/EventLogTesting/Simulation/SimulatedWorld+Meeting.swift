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
      guard let its = numbered[number] else { return }
      try await its.store.sync()
      // Objects come whole or not at all: only journals are sent lines.
      remote = UnreliableRemote(base: its.remote, mishap: mishap)
      other = its
    case .folder: remote = folder
    case .cloud: remote = cloud
    }
    remote = tamper(remote)
    let otherBefore = other?.snapshot.frontier
    let encounter = try await encounter(device, other, peer)
    var left = Int.max
    if case .abandoned(let steps) = mishap { left = steps }
    syncCount += 1
    for try await progress in device.store.replication(with: remote, directions) {
      left -= 1
      if left <= 0 { break }
      guard case .finished(let report) = progress else { continue }
      failures += encounter.failures(report, numbers)
      if isRepaired, let fork = report.forks.first {
        failures.append("\(device.name) and \(remote.address) still differ about \(fork)")
      }
    }
    try await refresh(device.store)
    noteLosses(of: device, since: before)
    if let other, let otherBefore {
      try await refresh(other.store)
      noteLosses(of: other, since: otherBefore)
    }
    numbers.noteMeeting(
      of: device, as: encounter.id, holding: withDamaged(encounter.own, of: device),
      with: encounter.theirs)
    if let other {
      numbers.noteMeeting(
        of: other, as: encounter.otherID, holding: withDamaged(encounter.other, of: other),
        with: HeldLines(encounter.own))
    }
  }

  /// What a device holds, and what of its own it knows to have written.
  private func withDamaged(
    _ lines: [EventID: [UInt8]], of device: TemporaryStore
  ) -> [EventID: [UInt8]] {
    damaged[device.name].map { lines.merging($0) { $1 } } ?? lines
  }

  /// Looks what two that are about to meet hold; nothing where none of them can have a past that
  /// others have.
  private func encounter(
    _ device: TemporaryStore, _ other: TemporaryStore?, _ peer: SimulatedAction.Peer
  ) async throws(EventLogError) -> Encounter {
    var encounter = Encounter(name: device.name, isJournal: other != nil)
    guard numbers.hasPasts else { return encounter }
    try await device.store.sync()
    encounter.id = device.deviceID
    encounter.own = try lines(of: device)
    if let other {
      encounter.otherID = other.deviceID
      encounter.other = try lines(of: other)
      encounter.theirs = HeldLines(encounter.other)
    } else {
      for bytes in try shared(peer) { encounter.theirs.add(bytes: bytes) }
    }
    return encounter
  }

  func noteLosses(of device: TemporaryStore, since before: VectorClock) {
    // A damaged line is found when it is read.
    if damaged[device.name] != nil { return }
    for (id, sequence) in before.entries where device.snapshot.frontier[id] < sequence {
      failures.append("\(device.name) held \(id):\(sequence) and holds it no more")
    }
  }

  /// Lets all meet until each holds what any of them held, and the shared places too, so that who
  /// comes later gets it.
  func meetAll(_ meeting: SimulationPlan.Meeting) async throws(EventLogError) {
    if numbers.hasPasts {
      // What some have lost may be left nowhere else.
      for device in devices {
        try await sync(device, .folder, .both, .none)
        try await sync(device, .cloud, .both, .none)
      }
      try await meetAtReplicatedFolder()
    }
    let (devices, last) = (devices, devices.count - 1)
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
    if numbers.hasPasts { try await meetOneByOne() }
  }

  /// Lets each meet each other one, twice: what a fork keeps from going the one way goes another
  /// one, and each fork is told by those who hold its branches.
  private func meetOneByOne() async throws(EventLogError) {
    let all = numbered.keys.sorted()
    for _ in 0..<2 {
      for one in all {
        for other in all where other > one {
          try await sync(numbered[one]!, .device(other), .both, .none)
        }
      }
    }
    for device in devices where numbers.isDisobeyed(by: device) {
      failures.append("\(device.name) goes on under an ID that it was shown to be others' too")
    }
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

/// What two that meet hold before, as far as it matters to forks.
private struct Encounter {
  let name: String
  /// Whether the other one is a journal, which says all that it holds.
  let isJournal: Bool
  /// Under which IDs they write.
  var id: DeviceID?
  var otherID: DeviceID?
  var own: [EventID: [UInt8]] = [:]
  var other: [EventID: [UInt8]] = [:]
  var theirs = HeldLines()

  /// What a report says that is not so, and what it does not say.
  func failures(_ report: SyncReport, _ numbers: UsedNumbers) -> [String] {
    var failures: [String] = []
    var both = theirs
    both.add(own)
    if isJournal, !numbers.hasReissues, !numbers.hasDamage {
      let forks = both.forks.map { EventID(device: $0.key, sequence: $0.value) }
      if Set(forks) != Set(report.forks) {
        failures.append("\(name) was told of the forks \(report.forks), and there were \(forks)")
      }
    } else if !numbers.hasDamage,
      let fork = report.forks.first(where: { !numbers.isForked($0.device) })
    {
      failures.append("a fork was seen where there is none: \(fork)")
    }
    let isAlone = !theirs.lines.contains { event, lines in
      event.device == id && own[event].map { lines != [$0] } ?? true
    }
    if report.hasTwin, !numbers.hasDamage,
      !numbers.hasPasts || isJournal && id != nil && isAlone
    {
      failures.append("a twin of \(name) was seen where there is none")
    }
    return failures
  }
}
