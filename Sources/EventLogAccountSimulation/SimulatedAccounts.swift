import EventLog
import EventLogAccounts
import EventLogRemotes
import EventLogTesting
import Synchronization

/// A device of a simulation: the accounts in its folder, and a record of their events.
final class SimulatedAccounts {
  static let folder = "/Accounts"

  let name: String
  let clock: AdjustableClock
  let catalog: SchemaCatalog
  let providers: [DeviceProvider]
  /// The source of new IDs, reseeded at each step so that no step depends on another's tasks.
  let random = SteppedRandom()
  let naps = Naps()
  private(set) var memory: MemoryFileSystem
  private(set) var disk: InstrumentedFileSystem
  private(set) var accounts: Accounts!
  /// For each user, every event in the user's journal here whose append has returned.
  var acknowledged: [String: Set<FullEventID>] = [:]
  /// Each provider's answers when it was last idle.
  var idleAnswers: [DeviceProvider.Answers] = []
  /// The journal and state that were last compared with the reference.
  var checked: (path: String, bytes: [UInt8]?, state: [UInt8])?
  /// The last backup of the disk.
  var backup: Backup?

  /// A disk, and the events acknowledged on it.
  struct Backup {
    let memory: MemoryFileSystem
    let acknowledged: [String: Set<FullEventID>]
  }

  init(
    _ name: String, _ memory: MemoryFileSystem, _ clock: AdjustableClock,
    _ catalog: SchemaCatalog, _ providers: [SimulatedProvider]
  ) {
    (self.name, self.memory, self.clock) = (name, memory, clock)
    (self.catalog, self.providers) = (catalog, providers.map { DeviceProvider($0) })
    disk = InstrumentedFileSystem(memory)
  }

  var user: String { accounts.current.user }
  var isGuest: Bool { accounts.current.isGuest }
  /// Whether the current user's events stay on this device.
  var isLocal: Bool { isGuest || accounts.current.choice == .local }
  var store: EventStore { accounts.current.store }

  func open() async throws(EventLogError) {
    var options = AccountOptions(
      journal: JournalOptions(
        fileSystem: disk, clock: clock.wallClock, random: random.text, deviceName: name,
        lockWaitMilliseconds: 30_000),
      catalog: catalog,
      // No timer fires during a run.
      schedule: ReplicationSchedule(
        delay: .seconds(86_400), interval: .seconds(86_400), retryMin: .seconds(86_400),
        retryMax: .seconds(86_400)))
    options.sleep = naps.sleep
    accounts = try await Accounts.open(Self.folder, providers: providers, options: options)
  }

  func close() async throws(EventLogError) { try await accounts.close() }

  /// Stops the app like a crash: no call of its remaining tasks reaches the disk.
  func die() async {
    let image = memory.copy(machineIdentity: memory.machineIdentity())
    disk.stopFailing()
    disk.failNextCall(with: .inputOutput, times: .max)
    try? await close()
    replaceDisk(image)
  }

  /// Replaces the disk of closed accounts.
  func replaceDisk(_ image: MemoryFileSystem) {
    memory = image
    disk = InstrumentedFileSystem(image)
  }

  // MARK: - Contents of the folder

  /// The bytes of a file, or nil if it doesn't exist.
  func bytes(_ path: String) -> [UInt8]? {
    try? memory.contents(ofFile: path, maximumBytes: 1 << 30)
  }

  /// The choice of each account in the folder, by user.
  func choices() throws(EventLogError) -> [String: ProviderChoice] {
    let overview = try AccountsOverview(ofFolder: Self.folder, fileSystem: memory)
    var choices: [String: ProviderChoice] = [:]
    for row in overview.rows { choices[row.user] = row.choice }
    return choices
  }

  /// The paths of the journals in the folder.
  var journals: [String] {
    ((try? memory.contents(of: Self.folder)) ?? []).filter { $0.hasSuffix(".jsonl") }
      .map { Path.join(Self.folder, $0) }
  }
}

/// A random source that restarts at each step.
final class SteppedRandom: Sendable {
  private let source = Mutex(RandomText.seeded(0))

  func begin(_ seed: UInt64) { source.withLock { $0 = .seeded(seed) } }

  var text: RandomText {
    RandomText { [self] count in source.withLock { $0 }.next(count) }
  }
}

/// Counts how often the current account's replication is idle, which is when it sleeps.
final class Naps: Sendable {
  private struct State {
    var count = 0
    var waiting: [(least: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.count) }

  var sleep: @Sendable (Duration) async throws -> Void {
    { [self] _ in
      let due = state.withLock { state in
        state.count += 1
        let due = state.waiting.filter { $0.least <= state.count }
        state.waiting.removeAll { $0.least <= state.count }
        return due
      }
      for waiting in due { waiting.continuation.resume() }
      try await Task.sleep(for: .seconds(86_400))
    }
  }

  /// Waits until the replication has slept `least` times.
  func wait(for least: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.count >= least { return true }
        state.waiting.append((least, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
