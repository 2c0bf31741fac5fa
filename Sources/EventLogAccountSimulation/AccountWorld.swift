import EventLog
import EventLogAccounts
import EventLogTesting

/// The devices and providers of a simulation of accounts, and a record of all writers.
final class AccountWorld {
  let seed: UInt64
  let catalog: SchemaCatalog
  let faults: AccountFaults
  let time = AdjustableClock(step: .zero)
  let providers: [SimulatedProvider]
  /// The devices by number; copies are added later.
  var devices: [Int: SimulatedAccounts] = [:]
  /// For each user, the events of others that the user chose to adopt.
  var adopted: [String: Set<FullEventID>] = [:]
  var lines = LineCache()
  /// For each storage, the events found by the last check.
  var stored: [String: Set<FullEventID>] = [:]
  /// For each storage, the number of its calls at the last look, and the events found.
  var looks: [String: (calls: Int, events: Set<FullEventID>)] = [:]
  /// The violations found so far.
  var failures: [String] = []
  var step = 0
  var trace: [String] = []
  var totals = Totals()

  /// The counts of a run.
  struct Totals {
    var events = 0
    var syncs = 0
    var adoptions = 0
    var undos = 0
    var crashes = 0
    var refusals = 0
    var removals = 0
    /// The guests that were current.
    var guests: Set<String> = []
    /// The calls of providers while a guest was current.
    var guestCalls = 0
  }

  init(
    seed: UInt64, _ catalog: SchemaCatalog, _ faults: AccountFaults
  ) async throws(EventLogError) {
    (self.seed, self.catalog, self.faults) = (seed, catalog, faults)
    providers = SimulatedProvider.names.map { SimulatedProvider($0, tampering: faults.tamper) }
    for number in 0..<AccountAction.deviceCount {
      let device = makeDevice(
        number, MemoryFileSystem(machineIdentity: "machine-\(number)", clock: .fixed(0)))
      try await device.open()
      devices[number] = device
    }
  }

  func makeDevice(_ number: Int, _ memory: MemoryFileSystem) -> SimulatedAccounts {
    let name = AccountAction.deviceNames[number]
    let device = SimulatedAccounts(
      name, memory, AdjustableClock(sharingTimeOf: time), catalog, providers)
    device.random.begin(seedOfStep(number))
    return device
  }

  private func seedOfStep(_ device: Int) -> UInt64 {
    var random = SplitMix64(seed: seed &+ UInt64(step) << 20 &+ UInt64(device) << 50)
    return random.next()
  }

  /// Performs an action, unless its device doesn't exist yet.
  func perform(_ action: AccountAction) async throws(EventLogError) {
    step += 1
    time.advance(by: .seconds(1))
    for (number, device) in devices { device.random.begin(seedOfStep(number)) }
    var outcome = "nothing"
    if let number = action.device {
      guard let device = devices[number] else { return }
      let (wasGuest, wasLocal, before) = (device.isGuest, device.isLocal, callCount)
      outcome = try await carryOut(action, number, device)
      noteGuest(device, wasGuest, callCount - before)
      if wasLocal, device.isLocal, callCount > before {
        failures.append("\(device.user) is kept on \(device.name), and opened connections")
      }
      try await check(device)
    } else {
      switch action {
      case .pass(let hours): time.advance(by: .seconds(hours * 3600))
      case .provider(let number, let condition): providers[number].set(condition)
      default: break
      }
    }
    checkRemotes()
    trace.append("\(action) -> \(outcome); \(digest)")
  }

  /// The number of calls of all providers.
  private var callCount: Int {
    providers.reduce(0) { $0 + $1.callCount }
  }

  private func noteGuest(_ device: SimulatedAccounts, _ wasGuest: Bool, _ calls: Int) {
    if device.isGuest { totals.guests.insert("\(device.name) \(device.user)") }
    guard wasGuest, device.isGuest else { return }
    totals.guestCalls += calls
    if calls > 0 { failures.append("a guest of \(device.name) opened \(calls) connections") }
  }

  private func carryOut(
    _ action: AccountAction, _ number: Int, _ device: SimulatedAccounts
  ) async throws(EventLogError) -> String {
    switch action {
    case .write(_, let drafts): return try await write(drafts, device)
    case .settle(_, let preference): return try await settle(preference, device)
    case .signIn(_, let person, let guest): return try await signIn(person, guest, device)
    case .signOut(_, let leaving): return try await signOut(leaving, device)
    case .undo(_, let number): return try await undo(number, device)
    case .choose(_, let choice):
      if device.isGuest { break }
      let (marks, others) = (marks(device), try device.choices())
      try await device.accounts.choose(choice)
      let now = try device.choices()
      let isOther = others.contains { user, other in user != device.user && now[user] != other }
      if now[device.user] != choice || isOther {
        failures.append("the choice of \(device.user) is not that of this account alone")
      }
      try await awaitReplication(device, .changed, marks)
    case .sync:
      if device.isGuest { break }
      let marks = marks(device)
      await device.accounts.syncNow()
      try await awaitReplication(device, .requested, marks)
    case .prove:
      let marks = marks(device)
      let count = await asApp { await device.accounts.eventsOnlyHere() }
      try await awaitReplication(device, .noted, marks)
      return "\(count) only here"
    case .reopen: try await reopen(device)
    case .crash(_, let work, let count): try await crash(device, work, count)
    case .loseList: try await loseList(device)
    case .setClock(_, let time): device.clock.set(to: time)
    case .copy(_, let copy, let isOther): try await self.copy(device, as: copy, isOther)
    case .backUp:
      device.backup = .init(
        memory: device.memory.copy(machineIdentity: device.memory.machineIdentity()),
        acknowledged: device.acknowledged)
    case .restore: try await restore(device)
    case .pass, .provider: break
    }
    return "\(device.user)"
  }

  /// Marks calls in `body` as the app's own, to distinguish them from replications.
  func asApp<Value>(_ body: () async -> Value) async -> Value {
    let caller = DeviceProvider.Caller()
    defer { caller.end() }
    return await DeviceProvider.$caller.withValue(caller) { await body() }
  }
}
