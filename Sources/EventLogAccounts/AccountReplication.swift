import EventLog
import Synchronization

/// Keeps an account in sync with the providers that its choice and their conditions ask for.
final class AccountReplication: Sendable {
  private struct Reasons: OptionSet, Sendable {
    let rawValue: Int
    static let asked = Reasons(rawValue: 1)
    static let changed = Reasons(rawValue: 2)
  }

  private let user: String
  private let store: EventStore
  private let folder: AccountsFolder
  private let providers: [any Provider]
  private let options: AccountOptions
  private let onChange: @Sendable (AccountReplication) -> Void
  private let state: Mutex<AccountPlaces>
  private let wakeUp: WakeUp<Reasons>
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter onChange: called after each change of a place's status, by several tasks: whoever
  ///   shows the statuses reads them in the order in which they are shown.
  init(
    _ account: Account, _ folder: AccountsFolder, _ providers: [any Provider],
    _ options: AccountOptions, onChange: @escaping @Sendable (AccountReplication) -> Void
  ) {
    (user, store) = (account.user, account.store)
    (self.folder, self.providers, self.options) = (folder, providers, options)
    self.onChange = onChange
    state = Mutex(AccountPlaces(chosen: account.chosen))
    wakeUp = WakeUp(sleep: options.sleep)
    showFirstPlaces()
  }

  private var schedule: ReplicationSchedule { options.schedule }
  private var now: Timestamp { options.journal.now }

  func start() {
    task.withLock { task in task = Task { [self] in await run() } }
  }

  /// Ends it, without waiting.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// Ends it; when the call returns, nothing runs any more.
  func stop() async {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    task?.cancel()
    await task?.value
  }

  func syncNow() {
    let replicators = state.withLock { $0.markStopped() }
    for replicator in replicators { replicator.syncNow() }
    wakeUp.raise(.asked)
  }

  /// Looks again at a place that the store was synced with by other means.
  ///
  /// The store tells a replicator with the same address. Otherwise the provider has given another
  /// remote since: the old one may have stopped, and nothing would ever wake it.
  func noteSync(with provider: String, at address: String) {
    state.withLock { $0.noteSync(with: provider, at: address) }
    wakeUp.raise(.changed)
  }

  // MARK: - The choice

  /// What the account's person has chosen, as it was read last.
  var chosen: AccountsFile.Choice? { state.withLock(\.chosen) }

  /// Uses the places of the choice that `accounts.json` contains now.
  func followChoice() {
    try? readChoice()
    showFirstPlaces()
    wakeUp.raise(.asked)
  }

  /// Reads the choice under the lock of the state, so that an older one never replaces a newer one.
  private func readChoice() throws(EventLogError) {
    try state.withLock { (state) throws(EventLogError) in
      state.chosen = try folder.read()?.entry(of: user)?.choice
    }
  }

  /// Keeps events on this device unless the choice in `accounts.json` includes the provider.
  ///
  /// It is read for each sync, because another process may have changed it.
  ///
  /// - Throws: `cancelled` if the choice doesn't include the provider; the errors of reading it.
  func checkChoice(of name: String) throws(EventLogError) {
    try readChoice()
    let isAllowed = state.withLock { state in
      let isAllowed = ProviderPlan.allows(state.chosen?.providers, name)
      // Its replicator has ended, even if the choice includes it again by then.
      if !isAllowed { state.renew(name) }
      return isAllowed
    }
    if isAllowed { return }
    wakeUp.raise(.changed)
    throw .notChosen(name)
  }

  /// The first places are shown at once; none has to be stopped for them.
  private func showFirstPlaces() {
    let (order, now) = (providers.map(\.name), now)
    state.withLock { state in
      guard state.used.isEmpty else { return }
      let wanted = ProviderPlan.providers(
        isGuest: false, choice: state.chosen?.providers, order: order, conditions: [:], now: now)
      _ = state.use(wanted)
    }
  }

  // MARK: - Statuses

  /// The places in use, in the app's order.
  var places: [PlaceStatus] { state.withLock(\.statuses) }

  /// Stops a debug build if the places in use do not fit the choice.
  private func checkInvariants() {
    let order = providers.map(\.name)
    state.withLock { state in
      assert(state.broken(order).isEmpty, state.broken(order).joined(separator: "\n"))
    }
  }

  // MARK: - Running

  private func run() async {
    while !Task.isCancelled {
      if wakeUp.take().contains(.asked) { state.withLock { $0.askAgain() } }
      await settle()
      onChange(self)
      let pauses = state.withLock { state in
        [ProviderPlan.nextChange(state.conditions(), now: now), state.nextQuestion]
      }
      let pause = pauses.compactMap(\.self).reduce(interval, min)
      _ = await wakeUp.wait(for: [.asked, .changed], atMost: pause)
    }
    for replicator in state.withLock({ $0.end() }) { await replicator.stop() }
  }

  private var interval: Duration { schedule.interval ?? .seconds(60) }

  /// Uses the providers that are wanted now, and no others.
  private func settle() async {
    while !Task.isCancelled {
      try? readChoice()
      let wanted = wanted
      let unused = state.withLock { $0.use(wanted) }
      for replicator in unused { await replicator.stop() }
      for name in state.withLock(\.unanswered) { await use(name) }
      // An answer may ask for the next provider.
      if self.wanted == wanted { break }
    }
    checkInvariants()
  }

  private var wanted: [String] {
    let (order, now) = (providers.map(\.name), now)
    return state.withLock { state in
      ProviderPlan.providers(
        isGuest: false, choice: state.chosen?.providers, order: order,
        conditions: state.conditions(), inUse: state.used.map(\.name), now: now)
    }
  }

  /// Begins to replicate to a provider, if it can be used.
  private func use(_ name: String) async {
    switch await answer(of: name) {
    case nil: break
    case .success(let remote)?: begin(name, remote)
    case .failure(let refusal)?:
      let (error, schedule, random) = (refusal.error, schedule, options.journal.random)
      // What needs a person is not tried as often as what may pass.
      let least = max(refusal.isFinal ? interval : .zero, error.retryAfter ?? .zero)
      let now = now
      state.withLock { state in
        state.refuse(name, because: error, isFinal: refusal.isFinal, at: now) {
          max(schedule.backoff($0, random), least)
        }
      }
    }
  }

  private func begin(_ name: String, _ remote: any Remote) {
    if Task.isCancelled { return }
    let tools = ReplicatorTools(permission: { [weak self] () throws(EventLogError) in
      guard let self else { throw .notChosen(name) }
      try checkChoice(of: name)
    })
    let replicator = store.replicate(with: [remote], schedule, using: tools)
    state.withLock { state in
      state[name] = .replicating(replicator, failingSince: state[name]?.past.failingSince)
    }
    let updates = replicator.updates
    Task { [weak self] in
      for await _ in updates {
        guard let self else { return }
        onChange(self)
        wakeUp.raise(.changed)
      }
    }
  }

  // MARK: - Providers

  /// Why a provider gives no remote, and whether that stays so until a person does something.
  struct Refusal: Error {
    let error: EventLogError
    let isFinal: Bool
  }

  /// The answer of a provider that is asked for its remote; nil if the task is canceled before.
  ///
  /// Signing out doesn't wait for a network.
  func answer(of name: String) async -> Result<any Remote, Refusal>? {
    guard let provider = providers.first(where: { $0.name == name }) else { return nil }
    let user = user
    return await unlessCancelled { () async -> Result<any Remote, Refusal> in
      switch await provider.availability(for: user) {
      case .stopped(let reason): return .failure(Refusal(error: reason, isFinal: true))
      case .unreachable(let reason): return .failure(Refusal(error: reason, isFinal: false))
      case .available: break
      }
      do throws(EventLogError) { return .success(try await provider.remote(for: user)) } catch {
        return .failure(Refusal(error: error, isFinal: Replicator.isFinal(error.code)))
      }
    }
  }
}

extension EventLogError {
  fileprivate static func notChosen(_ provider: String) -> EventLogError {
    EventLogError(
      .cancelled,
      "The account's choice does not include \"\(provider)\". Nothing more is sent there.",
      hint: "To use it, choose it: Accounts.choose(…).")
  }
}
