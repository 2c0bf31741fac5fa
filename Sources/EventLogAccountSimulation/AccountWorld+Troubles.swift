import EventLog
import EventLogAccounts
import EventLogTesting
import EventLogUndo

extension AccountWorld {
  func reopen(_ device: SimulatedAccounts) async throws(EventLogError) {
    let before = device.accounts.current
    try await device.close()
    try await open(device)
    // A guest without events isn't kept, and any of several left guests may become current.
    let isSame = before.isGuest ? device.isGuest : device.user == before.user
    if !isSame {
      failures.append("\(before.user) was current on \(device.name), and now \(device.user) is")
    }
  }

  /// Opens the accounts, which must finish all interrupted work.
  func open(_ device: SimulatedAccounts) async throws(EventLogError) {
    let marks = marks(device)
    try await device.open()
    try await awaitReplication(device, .began, marks)
    let overview = try AccountsOverview(
      ofFolder: SimulatedAccounts.folder, fileSystem: device.memory)
    if overview.isUnfinished { failures.append("\(device.name) was opened, and left unfinished") }
  }

  func loseList(_ device: SimulatedAccounts) async throws(EventLogError) {
    try await device.close()
    try? device.memory.remove(Path.join(SimulatedAccounts.folder, "accounts.json"))
    try await open(device)
    if !device.isGuest { failures.append("\(device.user) is signed in without accounts.json") }
  }

  // MARK: - Copies and backups

  func copy(
    _ device: SimulatedAccounts, as number: Int, _ isOther: Bool
  ) async throws(EventLogError) {
    guard devices[number] == nil else { return }
    let identity = isOther ? "machine-\(number)" : device.memory.machineIdentity()
    let copy = makeDevice(number, device.memory.copy(machineIdentity: identity))
    copy.acknowledged = device.acknowledged
    devices[number] = copy
    try await open(copy)
    if copy.isGuest != device.isGuest || !copy.isGuest && copy.user != device.user {
      failures.append("\(copy.user) is current on the copy of \(device.name)")
    }
    try await check(copy)
  }

  func restore(_ device: SimulatedAccounts) async throws(EventLogError) {
    guard let backup = device.backup else { return }
    try await device.close()
    device.replaceDisk(backup.memory.copy(machineIdentity: backup.memory.machineIdentity()))
    device.acknowledged = backup.acknowledged
    try await open(device)
  }

  // MARK: - Crashes

  /// Crashes the app during `work`.
  ///
  /// After the restart, all acknowledged events must exist, and interrupted work is finished.
  func crash(
    _ device: SimulatedAccounts, _ work: AccountAction.Work, _ count: Int
  ) async throws(EventLogError) {
    totals.crashes += 1
    try await device.close()
    // Replications stay blocked, so that only `work` calls the disk.
    try await device.open()
    let (before, known) = (device.user, await device.accounts.all)
    let wasGuest = device.isGuest
    if case .signIn(let person, let guest) = work {
      _ = allowAdoption(by: person, guest, device)
    }
    let receipt = await asApp { await fail(device, work, count) }
    acknowledge(receipt, device)
    await device.die()
    try await open(device)
    var leaving = Leaving.keep
    if case .signOut(let how) = work { leaving = how }
    checkCurrent(device, after: work, before, wasGuest)
    await noteRemovals(known, before, leaving, device)
  }

  /// - Returns: The receipt of the acknowledged events, or nil if there are none.
  private func fail(
    _ device: SimulatedAccounts, _ work: AccountAction.Work, _ count: Int
  ) async -> AppendReceipt? {
    let accounts = device.accounts!
    if case .reopen = work {
      try? await device.close()
    } else {
      // After opening, a store checks for others' writes and may then write a checkpoint. The
      // number of these calls varies, so they must end before calls are counted.
      for _ in 0..<2 { try? await device.store.refresh() }
    }
    // Replications may read concurrently, but change nothing.
    device.disk.crash(afterChanges: count, with: .inputOutput)
    do throws(EventLogError) {
      switch work {
      case .write(let drafts, let byteCount):
        device.disk.shortWrites(of: byteCount)
        return try await device.store.append(drafts)
      case .signIn(let person, let guest):
        try await accounts.signIn(
          as: person.user, isAnonymous: person.isAnonymous, guest: guest)
      case .signOut(let leaving): try await accounts.signOut(leaving)
      case .undo(let number):
        let users = device.store.snapshot.adoptedUsers
        if device.isGuest || users.isEmpty { return nil }
        return try await accounts.undoAdoption(of: users[number % users.count]).receipt
      case .choose(let choice): try await accounts.choose(choice)
      case .prove: _ = await accounts.eventsOnlyHere()
      case .reopen: try await device.open()
      }
    } catch {
      // Any error is expected: the disk failed, or the events were refused.
    }
    return nil
  }

  private func checkCurrent(
    _ device: SimulatedAccounts, after work: AccountAction.Work, _ before: String,
    _ wasGuest: Bool
  ) {
    var isExpected = wasGuest ? device.isGuest : device.user == before
    switch work {
    case .signIn(let person, _): isExpected = isExpected || device.user == person.user
    case .signOut: isExpected = isExpected || device.isGuest
    default: break
    }
    if !isExpected {
      failures.append("\(before) crashed in \(work), and now \(device.user) is current")
    }
  }
}
