import EventLog
import EventLogRemotes
import Synchronization

/// Replicates an account to providers, selected by the account's choice and their conditions.
final class AccountReplication: Sendable {
  private struct WakeReasons: OptionSet, Sendable {
    let rawValue: Int
    static let requested = WakeReasons(rawValue: 1)
    static let changed = WakeReasons(rawValue: 2)
  }

  private let user: String
  private let store: EventStore
  private let folder: AccountsFolder
  private let providers: [any Provider]
  private let options: AccountOptions
  private let onChange: @Sendable (AccountReplication) -> Void
  private let state: Mutex<AccountRemotes>
  private let signal: AsyncSignal<WakeReasons>
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter onChange: Called after each change of a status, from several tasks. To publish
  ///   statuses in order, read them under the publisher's lock.
  init(
    _ account: Account, _ folder: AccountsFolder, _ providers: [any Provider],
    _ options: AccountOptions, onChange: @escaping @Sendable (AccountReplication) -> Void
  ) {
    (user, store) = (account.user, account.store)
    (self.folder, self.providers, self.options) = (folder, providers, options)
    self.onChange = onChange
    state = Mutex(AccountRemotes(chosen: account.chosen))
    signal = AsyncSignal(sleep: options.sleep)
    addInitialProviders()
  }

  private var schedule: ReplicationSchedule { options.schedule }
  private var now: Timestamp { options.journal.now }

  func start() {
    task.withLock { task in task = Task { [self] in await run() } }
  }

  /// Ends the replication without waiting.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// Ends the replication, and waits until all its tasks have ended.
  func stop() async {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    task?.cancel()
    await task?.value
  }

  func syncNow() {
    let replicators = state.withLock { $0.markStoppedStale() }
    for replicator in replicators { replicator.syncNow() }
    signal.raise(.requested)
  }

  /// Updates a provider's state after a sync outside this replication.
  ///
  /// The store notifies a replicator with the same address. With another address, the provider has
  /// changed its remote. Nothing else would restart the old replicator if it has stopped.
  func recordSync(with provider: String, at address: String) {
    state.withLock { $0.recordSync(with: provider, at: address) }
    signal.raise(.changed)
  }

  // MARK: - The choice

  /// The account's choice, as last read from `accounts.json`.
  var chosen: AccountsFile.Choice? { state.withLock(\.chosen) }

  /// Reads the choice from `accounts.json`, and applies it.
  func applyChoice() {
    try? readChoice()
    addInitialProviders()
    signal.raise(.requested)
  }

  /// Reads the choice under the state's lock, so that an older choice never replaces a newer one.
  private func readChoice() throws(EventLogError) {
    try state.withLock { (state) throws(EventLogError) in
      state.chosen = try folder.read()?.entry(of: user)?.choice
    }
  }

  /// Throws unless the choice in `accounts.json` includes the provider.
  ///
  /// The choice is read for each sync, because another process may have changed it.
  ///
  /// - Throws: `canceled` if the choice doesn't include the provider; the errors of reading it.
  func checkChoice(of name: String) throws(EventLogError) {
    try readChoice()
    let isAllowed = state.withLock { state in
      let isAllowed = ProviderPlan.allows(state.chosen?.providers, name)
      // The error ends the replicator, even if the choice includes the provider again by then.
      if !isAllowed { state.markStale(name) }
      return isAllowed
    }
    if isAllowed { return }
    signal.raise(.changed)
    throw .notChosen(name)
  }

  /// Adds the first providers immediately: no replicator has to be stopped before.
  private func addInitialProviders() {
    let (order, now) = (providers.map(\.name), now)
    state.withLock { state in
      guard state.inUse.isEmpty else { return }
      let wantedProviders = ProviderPlan.providers(
        isGuest: false, choice: state.chosen?.providers, order: order, conditions: [:], now: now)
      _ = state.use(wantedProviders)
    }
  }

  // MARK: - Statuses

  /// The statuses of the providers in use, in the app's order.
  var statuses: [ProviderStatus] { state.withLock(\.statuses) }

  /// Stops a debug build if the providers in use aren't the app's, in the app's order.
  private func checkInvariants() {
    let order = providers.map(\.name)
    state.withLock { state in
      assert(
        state.brokenInvariants(order).isEmpty, state.brokenInvariants(order).joined(separator: "\n")
      )
    }
  }

  // MARK: - The loop

  private func run() async {
    var renewal = ContinuousClock.now + interval
    while !Task.isCancelled {
      if signal.take().contains(.requested) { state.withLock { $0.retryFailed() } }
      if renewal <= .now {
        state.withLock { $0.markFailedStale() }
        renewal = .now + interval
      }
      await updateProviders()
      onChange(self)
      let pauses = state.withLock { state in
        [ProviderPlan.nextChange(state.updateConditions(), now: now), state.timeUntilRetry]
      }
      let pause = pauses.compactMap(\.self).reduce(interval, min)
      _ = await signal.wait(for: [.requested, .changed], atMost: pause)
    }
    for replicator in state.withLock({ $0.stopAll() }) { await replicator.stop() }
  }

  private var interval: Duration { schedule.interval ?? .seconds(60) }

  /// Starts and stops replications until exactly the wanted providers are in use.
  private func updateProviders() async {
    while !Task.isCancelled {
      try? readChoice()
      let wantedProviders = wantedProviders
      let stopped = state.withLock { $0.use(wantedProviders) }
      for replicator in stopped { await replicator.stop() }
      for name in state.withLock(\.dueProviders) { await connect(to: name) }
      // A failure may require the next provider.
      if self.wantedProviders == wantedProviders { break }
    }
    checkInvariants()
  }

  private var wantedProviders: [String] {
    let (order, now) = (providers.map(\.name), now)
    return state.withLock { state in
      ProviderPlan.providers(
        isGuest: false, choice: state.chosen?.providers, order: order,
        conditions: state.updateConditions(), inUse: state.inUse.map(\.name), now: now)
    }
  }

  /// Requests a provider's remote, and starts the replication or records the failure.
  private func connect(to name: String) async {
    switch await remote(of: name) {
    case nil: break
    case .success(let remote)?: startReplication(name, remote)
    case .failure(let failure)?:
      let (error, schedule, random) = (failure.error, schedule, options.journal.random)
      // Retry less often after an error that only the user can resolve.
      let minimumDelay = max(failure.isFinal ? interval : .zero, error.retryAfter ?? .zero)
      let now = now
      state.withLock { state in
        state.recordFailure(name, because: error, isFinal: failure.isFinal, at: now) {
          max(schedule.backoff($0, random), minimumDelay)
        }
      }
    }
  }

  private func startReplication(_ name: String, _ remote: any Remote) {
    if Task.isCancelled { return }
    let tools = ReplicatorTools(permission: { [weak self] () throws(EventLogError) in
      guard let self else { throw .notChosen(name) }
      try checkChoice(of: name)
    })
    let replicator = store.replicate(with: [remote], schedule, using: tools)
    state.withLock { state in
      state[name] = .replicating(replicator, failingSince: state[name]?.record.failingSince)
    }
    let updates = replicator.updates
    Task { [weak self] in
      for await _ in updates {
        guard let self else { return }
        onChange(self)
        signal.raise(.changed)
      }
    }
  }

  // MARK: - Providers

  /// The error of a provider that returns no remote.
  ///
  /// It is final if only the user can resolve it.
  struct ProviderFailure: Error {
    let error: EventLogError
    let isFinal: Bool
  }

  /// Requests a provider's remote.
  ///
  /// Returns nil if the task is canceled first. Cancellation doesn't wait for the provider, so
  /// signing out doesn't wait for the network.
  func remote(of name: String) async -> Result<any Remote, ProviderFailure>? {
    guard let provider = providers.first(where: { $0.name == name }) else { return nil }
    let user = user
    return await unlessCancelled { () async -> Result<any Remote, ProviderFailure> in
      // Skip the check of a storage: a sync does the same, and its failure survives a restart.
      let availability =
        provider is StorageProvider ? .available : await provider.availability(for: user)
      switch availability {
      case .stopped(let reason): return .failure(ProviderFailure(error: reason, isFinal: true))
      case .unreachable(let reason): return .failure(ProviderFailure(error: reason, isFinal: false))
      case .available: break
      }
      do throws(EventLogError) { return .success(try await provider.remote(for: user)) } catch {
        return .failure(ProviderFailure(error: error, isFinal: Replicator.isFinal(error.code)))
      }
    }
  }
}

extension EventLogError {
  fileprivate static func notChosen(_ provider: String) -> EventLogError {
    EventLogError(
      .canceled,
      "The account's choice does not include \"\(provider)\". Nothing more is sent there.",
      hint: "To use it, choose it: Accounts.choose(…).")
  }
}
