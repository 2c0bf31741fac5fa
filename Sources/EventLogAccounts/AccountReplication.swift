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
  private let providers: [any Provider]
  private let schedule: ReplicationSchedule
  private let now: @Sendable () -> Timestamp
  private let onChange: @Sendable (AccountReplication) -> Void
  private let state: Mutex<AccountPlaces>
  private let wakeUp: WakeUp<Reasons>
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter onChange: called after each change of a place's status, by several tasks: whoever
  ///   shows the statuses reads them in the order in which they are shown.
  init(
    _ user: String, _ store: EventStore, _ providers: [any Provider], _ choice: ProviderChoice?,
    _ schedule: ReplicationSchedule, now: @escaping @Sendable () -> Timestamp,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    onChange: @escaping @Sendable (AccountReplication) -> Void
  ) {
    (self.user, self.store, self.providers) = (user, store, providers)
    (self.schedule, self.now, self.onChange) = (schedule, now, onChange)
    let used = ProviderPlan.providers(
      isGuest: false, choice: choice, order: providers.map(\.name), conditions: [:], now: now())
    state = Mutex(AccountPlaces(choice: choice, used: used.map { ($0, .new) }))
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

  func choose(_ choice: ProviderChoice?) {
    let (order, now) = (providers.map(\.name), now())
    state.withLock { state in
      state.choice = choice
      // The first places are shown at once; none has to be stopped for them.
      guard state.used.isEmpty else { return }
      let wanted = ProviderPlan.providers(
        isGuest: false, choice: choice, order: order, conditions: [:], now: now)
      _ = state.use(wanted)
    }
    wakeUp.raise(.asked)
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
    let isElsewhere = state.withLock { $0.noteSync(with: provider, at: address) }
    if isElsewhere { wakeUp.raise(.asked) }
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
      _ = wakeUp.take()
      await settle()
      onChange(self)
      let pause = min(
        schedule.interval ?? .seconds(60),
        ProviderPlan.nextChange(state.withLock { $0.conditions() }, now: now()) ?? .seconds(3600))
      _ = await wakeUp.wait(for: [.asked, .changed], atMost: pause)
    }
    for replicator in state.withLock({ $0.end() }) { await replicator.stop() }
  }

  /// Uses the providers that are wanted now, and no others.
  private func settle() async {
    while !Task.isCancelled {
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
    ProviderPlan.providers(
      isGuest: false, choice: state.withLock(\.choice), order: providers.map(\.name),
      conditions: state.withLock { $0.conditions() },
      inUse: state.withLock { $0.used.map(\.name) }, now: now())
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
    let retry =
      Timestamp(
        milliseconds: now.milliseconds + (schedule.interval ?? .seconds(60)).milliseconds) ?? now
    state.withLock { state in
      state[name]?.refuse(
        isFinal ? .stopped(because: error) : .retrying(at: retry, because: error), at: now)
    }
  }

  private func begin(_ name: String, _ remote: any Remote) {
    if Task.isCancelled { return }
    let replicator = store.replicate(with: [remote], schedule)
    state.withLock { state in
      state[name] = .replicating(replicator, failingSince: state[name]?.failingSince)
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

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
