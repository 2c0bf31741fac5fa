import EventLog
import Synchronization

/// Keeps an account in sync with the providers that its choice and their conditions ask for.
final class AccountReplication: Sendable {
  private struct State {
    var choice: ProviderChoice
    /// Of the providers in use, who replicates to them.
    var replicators: [String: Replicator] = [:]
    /// What providers have said that are not replicated to: since when, and why.
    var refusals: [String: (phase: Replicator.Phase, since: Timestamp)] = [:]
    /// The providers in use, in the app's order.
    var used: [String] = []
    /// Since when a provider has not worked, until it does.
    var failing: [String: Timestamp] = [:]
    /// The providers that are to be asked for their remotes again.
    var outdated: Set<String> = []
  }

  private struct Reasons: OptionSet, Sendable {
    let rawValue: Int
    static let asked = Reasons(rawValue: 1)
    static let changed = Reasons(rawValue: 2)
  }

  private let user: String
  private let store: EventStore
  private let providers: [any Provider]
  private let schedule: ReplicationSchedule
  private let now: @Sendable () -> Timestamp
  private let onChange: @Sendable (AccountReplication) -> Void
  private let state: Mutex<State>
  private let wakeUp: WakeUp<Reasons>
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter onChange: called after each change of a place's status, by several tasks: whoever
  ///   shows the statuses reads them in the order in which they are shown.
  init(
    _ user: String, _ store: EventStore, _ providers: [any Provider], _ choice: ProviderChoice,
    _ schedule: ReplicationSchedule, now: @escaping @Sendable () -> Timestamp,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    onChange: @escaping @Sendable (AccountReplication) -> Void
  ) {
    (self.user, self.store, self.providers) = (user, store, providers)
    (self.schedule, self.now, self.onChange) = (schedule, now, onChange)
    let used = ProviderPlan.providers(
      isGuest: false, choice: choice, order: providers.map(\.name), conditions: [:], now: now())
    state = Mutex(State(choice: choice, used: used))
    wakeUp = WakeUp(sleep: sleep)
  }

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

  func choose(_ choice: ProviderChoice) {
    state.withLock { $0.choice = choice }
    wakeUp.raise(.asked)
  }

  func syncNow() {
    let replicators = state.withLock { state in
      // What has stopped may be another place by now: its provider is asked for it again.
      state.outdated.formUnion(state.replicators.filter { $0.value.hasStopped }.keys)
      return state.replicators.filter { !state.outdated.contains($0.key) }.map(\.value)
    }
    for replicator in replicators { replicator.syncNow() }
    wakeUp.raise(.asked)
  }

  /// Looks again at a place that the store was synced with by other means.
  ///
  /// Where a replicator has the same address, the store tells it. Otherwise the provider has given
  /// another remote since: the old one may have stopped, and nothing would ever wake it.
  func noteSync(with provider: String, at address: String) {
    let isElsewhere = state.withLock { state in
      guard let replicator = state.replicators[provider] else { return true }
      if replicator.statuses.first?.id == address { return false }
      state.outdated.insert(provider)
      return true
    }
    if isElsewhere { wakeUp.raise(.asked) }
  }

  // MARK: - Statuses

  /// The places in use, in the app's order.
  var places: [PlaceStatus] {
    state.withLock { state in
      state.used.map { name in
        if let status = state.replicators[name]?.statuses.first {
          return PlaceStatus(provider: name, phase: status.phase, lastSynced: status.lastSynced)
        }
        return PlaceStatus(
          provider: name, phase: state.refusals[name]?.phase ?? .waiting, lastSynced: nil)
      }
    }
  }

  private var conditions: [String: ProviderPlan.Condition] {
    state.withLock { state in
      var conditions: [String: ProviderPlan.Condition] = [:]
      for (name, refusal) in state.refusals {
        conditions[name] = .init(refusal.phase, refusal.since)
      }
      for (name, replicator) in state.replicators {
        guard let status = replicator.statuses.first else { continue }
        let condition = ProviderPlan.Condition(status)
        if condition == .healthy { state.failing[name] = nil }
        // It answers again, and has not shown yet that it works.
        conditions[name] =
          condition == .unknown
          ? state.failing[name].map { .failing(since: $0) } ?? .unknown : condition
      }
      return conditions
    }
  }

  // MARK: - Running

  private func run() async {
    while !Task.isCancelled {
      _ = wakeUp.take()
      await settle()
      onChange(self)
      let pause = min(
        schedule.interval ?? .seconds(60),
        ProviderPlan.nextChange(conditions, now: now()) ?? .seconds(3600))
      _ = await wakeUp.wait(for: [.asked, .changed], atMost: pause)
    }
    let replicators = state.withLock { state in
      defer { (state.replicators, state.used) = ([:], []) }
      return Array(state.replicators.values)
    }
    for replicator in replicators { await replicator.stop() }
  }

  /// Uses the providers that are wanted now, and lets go of the others.
  private func settle() async {
    while !Task.isCancelled {
      let wanted = wanted
      let (unused, missing) = state.withLock { state in
        state.used = wanted
        state.refusals = state.refusals.filter { wanted.contains($0.key) }
        let unused = state.replicators.filter {
          !wanted.contains($0.key) || state.outdated.contains($0.key)
        }
        state.outdated = []
        for name in unused.keys { state.replicators[name] = nil }
        return (Array(unused.values), wanted.filter { state.replicators[$0] == nil })
      }
      for replicator in unused { await replicator.stop() }
      for name in missing { await use(name) }
      // What has answered otherwise than hoped may ask for the next one.
      if self.wanted == wanted { return }
    }
  }

  private var wanted: [String] {
    ProviderPlan.providers(
      isGuest: false, choice: state.withLock(\.choice), order: providers.map(\.name),
      conditions: conditions, inUse: state.withLock(\.used), now: now())
  }

  /// Begins to replicate to a provider, if it can be used.
  private func use(_ name: String) async {
    guard let provider = providers.first(where: { $0.name == name }) else { return }
    let error: EventLogError
    var isFinal = false
    let user = user
    // Nobody who signs out waits for a network.
    guard let answer = await unlessCancelled({ await provider.availability(for: user) }) else {
      return
    }
    switch answer {
    case .available:
      let remote = await unlessCancelled { () async -> Result<any Remote, EventLogError> in
        do throws(EventLogError) { return .success(try await provider.remote(for: user)) } catch {
          return .failure(error)
        }
      }
      switch remote {
      case nil: return
      case .success(let remote)?: return begin(name, remote)
      case .failure(let refusal)?:
        error = refusal
        isFinal = Replicator.isFinal(error.code)
      }
    case .stopped(let reason): (error, isFinal) = (reason, true)
    case .unreachable(let reason): error = reason
    }
    let now = now()
    state.withLock { state in
      let since = state.failing[name] ?? now
      state.failing[name] = since
      let retry =
        Timestamp(
          milliseconds: now.milliseconds + (schedule.interval ?? .seconds(60)).milliseconds) ?? now
      state.refusals[name] = (
        isFinal ? .stopped(because: error) : .retrying(at: retry, because: error), since
      )
    }
  }

  private func begin(_ name: String, _ remote: any Remote) {
    if Task.isCancelled { return }
    let replicator = store.replicate(with: [remote], schedule)
    state.withLock { state in
      state.refusals[name] = nil
      state.replicators[name] = replicator
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
}

extension Replicator {
  fileprivate var hasStopped: Bool {
    if case .stopped = statuses.first?.phase { true } else { false }
  }
}

extension ProviderPlan.Condition {
  fileprivate init(_ status: Replicator.Status) {
    if case .stopped = status.phase {
      self = .stopped
    } else if let since = status.failingSince {
      self = .failing(since: since)
    } else {
      self = status.lastSynced == nil ? .unknown : .healthy
    }
  }

  fileprivate init(_ phase: Replicator.Phase, _ since: Timestamp) {
    if case .stopped = phase { self = .stopped } else { self = .failing(since: since) }
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
