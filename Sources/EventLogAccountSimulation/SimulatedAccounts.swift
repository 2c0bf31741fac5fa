import EventLog
import EventLogAccounts
import EventLogTesting
import Synchronization

/// A device of a simulation: the accounts in its folder, and what is known of them.
final class SimulatedAccounts {
  static let folder = "/Accounts"

  let name: String
  let clock: AdjustableClock
  let catalog: SchemaCatalog
  let providers: [DeviceProvider]
  /// Names what is new; it is set for each step, so that no step depends on another one's tasks.
  let random = SteppedRandom()
  let naps = Naps()
  private(set) var memory: MemoryFileSystem
  private(set) var disk: InstrumentedFileSystem
  private(set) var accounts: Accounts!
  /// Per user every event of the user's journal here whose append has returned.
  var acknowledged: [String: Set<FullEventID>] = [:]
  /// What the providers had answered when they were last not in use.
  var unused: [DeviceProvider.Answers] = []
  /// What was compared with the reference last.
  var checked: (path: String, bytes: [UInt8]?, state: [UInt8])?
  /// Its disk as it was kept.
  var backup: Backup?

  /// A disk, and what had been acknowledged on it.
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

  /// The current user.
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
      // Nothing happens by the time that a run takes.
      schedule: ReplicationSchedule(
        delay: .seconds(86_400), interval: .seconds(86_400), retryMin: .seconds(86_400),
        retryMax: .seconds(86_400)))
    options.sleep = naps.sleep
    accounts = try await Accounts.open(Self.folder, providers: providers, options: options)
  }

  func close() async throws(EventLogError) { try await accounts.close() }

  /// Ends everything at once: of what its tasks still do, nothing comes to the disk.
  func die() async {
    let image = memory.copy(machineIdentity: memory.machineIdentity())
    disk.stopFailing()
    disk.failNextCall(with: .inputOutput, times: .max)
    try? await close()
    replaceDisk(image)
  }

  /// Puts another disk in; nothing is open.
  func replaceDisk(_ image: MemoryFileSystem) {
    memory = image
    disk = InstrumentedFileSystem(image)
  }

  // MARK: - Looking into the folder

  /// The bytes of a file; nil where there is none.
  func bytes(_ path: String) -> [UInt8]? {
    try? memory.contents(ofFile: path, maximumBytes: 1 << 30)
  }

  /// What each account has chosen here, by its user.
  func choices() throws(EventLogError) -> [String: ProviderChoice] {
    let overview = try AccountsOverview(ofFolder: Self.folder, fileSystem: memory)
    var choices: [String: ProviderChoice] = [:]
    for row in overview.rows { choices[row.user] = row.choice }
    return choices
  }

  /// The journals in the folder.
  var journals: [String] {
    ((try? memory.contents(of: Self.folder)) ?? []).filter { $0.hasSuffix(".jsonl") }
      .map { Path.join(Self.folder, $0) }
  }
}

/// Randomness that begins anew with each step.
final class SteppedRandom: Sendable {
  private let source = Mutex(RandomText.seeded(0))

  func begin(_ seed: UInt64) { source.withLock { $0 = .seeded(seed) } }

  var text: RandomText {
    RandomText { [self] count in source.withLock { $0 }.next(count) }
  }
}

/// Tells when the replication of the current account has nothing to do, which is when it sleeps.
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

  /// Waits until it has slept so often.
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
