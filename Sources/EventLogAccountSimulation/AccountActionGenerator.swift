import EventLog
import EventLogAccounts
import EventLogTesting

/// Generates the actions of a simulation of accounts from a seed.
struct AccountActionGenerator {
  private var random: SplitMix64
  /// The generator of each device's events.
  private var drafts: [ActionGenerator]
  private var liveCount = AccountAction.deviceCount
  /// Whether devices are copied and restored.
  private let hasPasts: Bool
  private let hasCrashes: Bool
  private let hasTroubledRemotes: Bool

  init(seed: UInt64, _ catalog: SchemaCatalog) {
    var random = SplitMix64(seed: seed ^ 0xacc0)
    // All devices write the same collections; otherwise their events would never conflict.
    let generator = ActionGenerator(seed: seed, catalog)
    drafts = Array(repeating: generator, count: AccountAction.deviceNames.count)
    for index in drafts.indices { drafts[index].random = SplitMix64(seed: random.next()) }
    hasPasts = Bool.random(using: &random)
    hasCrashes = Bool.random(using: &random)
    hasTroubledRemotes = Int.random(in: 0..<4, using: &random) > 0
    self.random = random
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
  private mutating func chance(_ of: Int) -> Bool { number(0..<of) == 0 }

  mutating func make(_ count: Int?) -> [AccountAction] {
    let count = count ?? number(20..<60)
    var actions: [AccountAction] = []
    while actions.count < count {
      if chance(7) { actions += story() } else { actions.append(action()) }
    }
    return actions
  }

  /// A guest writes, signs in, and sometimes undoes the adoption.
  private mutating func story() -> [AccountAction] {
    let device = number(0..<liveCount)
    drafts[device].begun = []
    var actions: [AccountAction] = [.signOut(device: device, .keep)]
    actions.append(.write(device: device, events(device)))
    if chance(4) { actions.append(.reopen(device: device)) }
    let person = person(device)
    if hasCrashes, chance(2) {
      actions.append(
        .crash(device: device, .signIn(person, .adopt), afterChanges: number(0..<48)))
    }
    actions.append(.signIn(device: device, person, chance(8) ? .leave : .adopt))
    if chance(3) { actions.append(.write(device: device, events(device))) }
    if chance(3) {
      actions.append(.undo(device: device, number(0..<3)))
      if chance(2) { actions.append(.signOut(device: device, leaving())) }
      if chance(3) { actions.append(.loseList(device: device)) }
    }
    return actions
  }

  private mutating func action() -> AccountAction {
    let device = number(0..<liveCount)
    if hasPasts, chance(14) { return past(device) }
    if hasCrashes, chance(7) { return crash(device) }
    if hasTroubledRemotes, chance(8) { return .provider(number(0..<2), condition()) }
    switch number(0..<40) {
    case 0..<15: return .write(device: device, events(device))
    case 15..<22: return signIn(device)
    case 22..<26:
      drafts[device].begun = []
      return .signOut(device: device, leaving())
    case 26..<30: return .sync(device: device)
    case 30, 31: return .prove(device: device)
    case 32: return .choose(device: device, choice())
    case 33, 34: return .undo(device: device, number(0..<3))
    case 35: return .settle(device: device, preference())
    case 36: return .pass(hours: number(1..<4))
    case 37: return setClock(device)
    case 38:
      if chance(4) { return .loseList(device: device) }
      fallthrough
    default: return .reopen(device: device)
    }
  }

  private mutating func events(_ device: Int) -> [EventDraft] {
    (0..<number(1..<4)).map { _ in drafts[device].draft() }
  }

  private mutating func person(_ device: Int) -> AccountAction.Person {
    chance(6) ? .anonymous(device) : .known(number(0..<AccountAction.Person.names.count))
  }

  private mutating func signIn(_ device: Int) -> AccountAction {
    // The next user hasn't created any entities.
    drafts[device].begun = []
    return .signIn(device: device, person(device), chance(4) ? .leave : .adopt)
  }

  private mutating func leaving() -> Leaving {
    chance(2) ? .keep : chance(3) ? .remove : .removeIfElsewhere
  }

  private mutating func choice() -> ProviderChoice {
    switch number(0..<5) {
    case 0: .local
    case 1: .only(SimulatedProvider.names[number(0..<2)])
    default: .automatic
    }
  }

  private mutating func preference() -> ConflictPreference {
    ConflictPreference.allCases[number(0..<ConflictPreference.allCases.count)]
  }

  private mutating func condition() -> SimulatedProvider.Condition {
    switch number(0..<9) {
    case 0: .stopped
    case 1: .unreachable
    case 2: .refusing
    case 3: .silent(afterCalls: number(0..<20))
    case 4: .confused
    default: .working
    }
  }

  private mutating func setClock(_ device: Int) -> AccountAction {
    .setClock(device: device, Timestamp("\(number(1990..<2061))-06-01T00:00:00Z")!)
  }

  // MARK: - Copies, backups and crashes

  private mutating func past(_ device: Int) -> AccountAction {
    switch number(0..<5) {
    case 0:
      guard liveCount < AccountAction.deviceNames.count else { return .backUp(device: device) }
      liveCount += 1
      drafts[liveCount - 1].begun = drafts[device].begun
      return .copy(device: device, as: liveCount - 1, toAnotherMachine: chance(2))
    case 1, 2: return .backUp(device: device)
    default: return .restore(device: device)
    }
  }

  private mutating func crash(_ device: Int) -> AccountAction {
    let work: AccountAction.Work
    var most = 48
    switch number(0..<12) {
    case 0..<2:
      work = .write(events(device), byteCount: number(1..<600))
      most = 8
    case 2..<7: work = .signIn(person(device), chance(5) ? .leave : .adopt)
    case 7, 8: work = .signOut(leaving())
    case 9: work = .undo(number(0..<3))
    case 10:
      work = chance(2) ? .prove : .choose(choice())
    default: work = .reopen
    }
    return .crash(device: device, work, afterChanges: number(0..<most))
  }
}
