import EventLog
import EventLogAccounts
import EventLogRemotes
import EventLogTesting
import Synchronization

/// A provider of a simulation, with a storage for each user and a count of all calls.
package final class SimulatedProvider: Sendable {
  package static let names = ["first", "second"]

  /// The condition of a provider.
  package enum Condition: Sendable, Hashable {
    case working
    /// The user would have to act.
    case stopped
    case unreachable
    /// Reports itself as available, but returns no remote.
    case refusing
    /// Each sync fails after a number of calls of the storage.
    case silent(afterCalls: Int)
    /// Returns another user's storage.
    case confused
  }

  private struct State {
    var condition = Condition.working
    var storages: [String: MemoryStorage] = [:]
    var callCount = 0
    var syncCount: UInt64 = 0
  }

  package let name: String
  private let tamper: @Sendable (any ReachableRemote) -> any ReachableRemote
  private let state = Mutex(State())

  init(
    _ name: String,
    tampering tamper: @escaping @Sendable (any ReachableRemote) -> any ReachableRemote
  ) {
    (self.name, self.tamper) = (name, tamper)
  }

  func set(_ condition: Condition) { state.withLock { $0.condition = condition } }

  /// The storages by user.
  var storages: [String: MemoryStorage] { state.withLock(\.storages) }

  /// The number of calls of the provider and its storages.
  var callCount: Int {
    let (count, storages) = state.withLock { ($0.callCount, $0.storages) }
    return storages.values.reduce(count) { $0 + $1.callCount }
  }

  static let unreachable = EventLogError(
    remoteFailed: "The place does not answer.", hint: "Try again.")
  static let stopped = EventLogError(
    invalidInput: "Somebody has to sign in there.", hint: "Sign in there.")

  fileprivate var availability: Availability {
    state.withLock { state in
      state.callCount += 1
      switch state.condition {
      case .stopped: return .stopped(because: Self.stopped)
      case .unreachable: return .unreachable(because: Self.unreachable)
      case .working, .refusing, .silent, .confused: return .available
      }
    }
  }

  /// Returns a user's storage, or another user's if confused; nil if the provider refuses.
  fileprivate func storage(of user: String) -> MemoryStorage? {
    state.withLock { state in
      state.callCount += 1
      if state.condition == .refusing { return nil }
      if state.condition == .confused, let other = Self.other(than: user, state) { return other }
      if let storage = state.storages[user] { return storage }
      let storage = MemoryStorage(address: "\(name)/\(user)", pageCount: 50)
      state.storages[user] = storage
      return storage
    }
  }

  /// Returns another user's storage that isn't empty, or nil if there is none.
  private static func other(than user: String, _ state: State) -> MemoryStorage? {
    let people = AccountAction.Person.names
    guard people.contains(user) else { return nil }
    return people.filter { $0 != user }.compactMap { state.storages[$0] }
      .first { !$0.objects.isEmpty }
  }

  /// Returns the remote for a new sync.
  fileprivate func remote(_ storage: MemoryStorage) throws(EventLogError) -> any ReachableRemote {
    let result: Result<any ReachableRemote, EventLogError> = state.withLock { state in
      state.callCount += 1
      state.syncCount += 1
      let random = RandomText.seeded(state.syncCount)
      switch state.condition {
      case .stopped: return .failure(Self.stopped)
      case .unreachable, .refusing: return .failure(Self.unreachable)
      case .working, .confused: return .success(ObjectRemote(storage, random: random))
      case .silent(let count):
        // The limit applies to each sync separately, so that none depends on when another runs.
        let storage = UnreliableStorage(storage, .unreachable(afterCalls: count))
        return .success(ObjectRemote(storage, random: random))
      }
    }
    return tamper(try result.get())
  }
}

/// A provider as seen by one device.
///
/// Background replications are blocked unless the simulation waits for them, so that a seed always
/// gives the same run.
final class DeviceProvider: Provider {
  /// The answers to a user's replications since the start.
  struct Answers: Hashable {
    /// The number of refused remotes.
    var refusals = 0
    /// The number of started syncs.
    var runs = 0
    /// The number of finished syncs by the app itself.
    var ownEnds = 0
  }

  private struct State {
    var answers: [String: Answers] = [:]
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var count = 0
  }

  /// Set in calls by the app itself, which are never blocked.
  @TaskLocal static var caller: Caller?

  final class Caller: Sendable {
    private let isDone = Mutex(false)
    /// Whether the call is still running.
    ///
    /// Tasks that outlive it aren't the app's own.
    var isActive: Bool { isDone.withLock { !$0 } }
    func end() { isDone.withLock { $0 = true } }
  }

  let shared: SimulatedProvider
  private let state = Mutex(State())

  init(_ shared: SimulatedProvider) { self.shared = shared }

  var name: String { shared.name }

  func answers(to user: String) -> Answers { state.withLock { $0.answers[user] ?? Answers() } }

  private var isOwn: Bool { Self.caller?.isActive == true }

  /// Unblocks replications.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  func close() { state.withLock { $0.isOpen = false } }

  private func pass() async {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if state.isOpen || Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  private func note(_ user: String, _ change: (inout Answers) -> Void) {
    state.withLock { change(&$0.answers[user, default: Answers()]) }
  }

  func availability(for user: String) async -> Availability {
    let isOwn = isOwn
    if !isOwn {
      await pass()
      if Task.isCancelled { return .unreachable(because: SimulatedProvider.unreachable) }
    }
    let answer = shared.availability
    if case .available = answer { return answer }
    if !isOwn { note(user) { $0.refusals += 1 } }
    return answer
  }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    guard let storage = shared.storage(of: user) else {
      if !isOwn { note(user) { $0.refusals += 1 } }
      throw SimulatedProvider.unreachable
    }
    return CountedRemote(provider: self, user: user, storage: storage)
  }

  fileprivate func connect(
    _ user: String, _ storage: MemoryStorage
  ) throws(EventLogError) -> any ReachableRemote {
    if !isOwn { note(user) { $0.runs += 1 } }
    return try shared.remote(storage)
  }

  fileprivate func end(_ user: String) {
    if isOwn { note(user) { $0.ownEnds += 1 } }
  }
}

/// A remote that reports each connection to its provider.
private struct CountedRemote: ReachableRemote {
  let provider: DeviceProvider
  let user: String
  let storage: MemoryStorage

  var address: String { storage.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    let remote = try provider.connect(user, storage)
    return CountedSession(base: try await remote.connect(request), remote: self)
  }
}

private struct CountedSession: RemoteSession {
  let base: any RemoteSession
  let remote: CountedRemote

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    try await base.statement(to: initiator, lookup)
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await base.chains(queries)
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    try await base.read(ranges)
  }

  func took(_ result: ReceiveResult) async { await base.took(result) }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await base.announce(statement)
  }

  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    try await base.exchange(schema, directions)
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    try await base.write(lines)
  }

  func proceed() async throws(EventLogError) -> ReceiveResult? { try await base.proceed() }

  var notices: [String] { get async { await base.notices } }

  func finish() async throws(EventLogError) -> Set<String> {
    let names = try await base.finish()
    remote.provider.end(remote.user)
    return names
  }

  func leave() async { await base.leave() }
}
