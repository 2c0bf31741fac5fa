import EventLog

extension SimulatedWorld {
  /// Does nothing for a device that is not there yet.
  func perform(_ action: SharedPlaceAction) async throws(EventLogError) {
    guard action.devices.allSatisfy({ numbered[$0] != nil }) else { return }
    switch action {
    case .sync(let device, let place, let mishap):
      try await run(device, place, mishap) { _ in }
    case .syncWhileWriting(let device, let place, let drafts, let step):
      try await run(device, place) { (count) throws(EventLogError) in
        if count == step { try await append(drafts, to: numbered[device]!, .durable) }
      }
    case .syncAtOnce(let device, let other, let place):
      try await syncAtOnce(device, other, place)
    case .crash(let device, let place, let count): try await crash(device, place, count)
    case .deliver(let seed): replicated.deliver(seed: seed)
    }
  }

  private func remote(
    _ place: SharedPlaceAction.Place, of device: Int, _ mishap: SharedPlaceAction.Mishap = .none
  ) -> any Remote {
    let random = RandomText.seeded(UInt64(syncCount))
    let storage: any ObjectStorage =
      switch place {
      case .folder: FolderStorage(path: folder.address, fileSystem: disk, random: random)
      case .cloud: cloudStorage
      case .replicatedFolder: replicated.storage(of: device)
      }
    return tamper(ObjectRemote(UnreliableStorage(storage, mishap), random: random))
  }

  /// Replicates, and does something behind each step. A place that does not answer is nothing
  /// unheard of.
  private func run(
    _ device: Int, _ place: SharedPlaceAction.Place, _ mishap: SharedPlaceAction.Mishap = .none,
    _ behindStep: (Int) async throws(EventLogError) -> Void
  ) async throws(EventLogError) {
    let before = numbered[device]!.snapshot.frontier
    syncCount += 1
    var steps = 0
    do throws(EventLogError) {
      for try await progress in numbered[device]!.store.replication(
        with: remote(place, of: device, mishap))
      {
        steps += 1
        note(progress, of: device)
        try await behindStep(steps)
      }
    } catch {
      if error.code != .remoteFailed { throw error }
    }
    try await refresh(numbered[device]!.store)
    noteLosses(of: numbered[device]!, since: before)
  }

  private func note(_ progress: SyncProgress, of device: Int) {
    guard case .finished(let report) = progress else { return }
    if !numbers.hasDamage,
      let fork = report.forks.first(where: { !numbers.isForked($0.device) })
    {
      failures.append("a fork was seen where there is none: \(fork)")
    }
    if report.hasTwin, !numbers.hasPasts {
      failures.append("a twin of \(numbered[device]!.name) was seen")
    }
  }

  private func syncAtOnce(
    _ device: Int, _ other: Int, _ place: SharedPlaceAction.Place
  ) async throws(EventLogError) {
    let before = [device, other].map { numbered[$0]!.snapshot.frontier }
    syncCount += 2
    var one = numbered[device]!.store.replication(with: remote(place, of: device))
      .makeAsyncIterator()
    var two = numbered[other]!.store.replication(with: remote(place, of: other)).makeAsyncIterator()
    var isMore = true
    while isMore {
      let (left, right) = (try await next(&one), try await next(&two))
      if let left { note(left, of: device) }
      if let right { note(right, of: other) }
      isMore = left != nil || right != nil
    }
    for (number, frontier) in zip([device, other], before) {
      try await refresh(numbered[number]!.store)
      noteLosses(of: numbered[number]!, since: frontier)
    }
  }

  /// The next step; none where neither side holds anything.
  private func next(
    _ iterator: inout Replication.Iterator
  ) async throws(EventLogError) -> SyncProgress? {
    do throws(EventLogError) { return try await iterator.next() } catch {
      if error.code == .noJournal { return nil }
      throw error
    }
  }

  /// What was acknowledged before must be there when it is started again; what was not, may be.
  private func crash(
    _ number: Int, _ place: SharedPlaceAction.Place, _ callCount: Int
  ) async throws(EventLogError) {
    let device = numbered[number]!
    let before = device.snapshot.frontier
    syncCount += 1
    device.disk.failNextCall(after: callCount, with: .inputOutput, times: .max)
    do throws(EventLogError) {
      for try await progress in device.store.replication(with: remote(place, of: number)) {
        note(progress, of: number)
      }
    } catch {
      // Whatever it is: the disk failed.
    }
    device.disk.stopFailing()
    try await device.reopen()
    noteLosses(of: device, since: before)
  }

  /// Lets all go to their copies of the replicated folder, until each holds what any of them held.
  func meetAtReplicatedFolder() async throws(EventLogError) {
    for _ in 0..<3 {
      for number in numbered.keys.sorted() {
        try await numbered[number]!.sync(with: remote(.replicatedFolder, of: number))
      }
      replicated.deliverAll()
    }
  }
}

extension SharedPlaceAction {
  /// Who acts.
  fileprivate var devices: [Int] {
    switch self {
    case .sync(let device, _, _), .syncWhileWriting(let device, _, _, _), .crash(let device, _, _):
      [device]
    case .syncAtOnce(let device, let other, _): [device, other]
    case .deliver: []
    }
  }
}
