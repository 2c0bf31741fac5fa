import Synchronization

/// The delays with which a ``Replicator`` syncs.
public struct ReplicationSchedule: Sendable, Hashable {
  /// The time to wait after an append, so that a burst of appends results in one sync.
  public var delay: Duration
  /// The time after which to sync with a remote that has reported no change, or `nil` to sync only
  /// after a change.
  public var interval: Duration?
  /// The maximum time to wait after the first failure.
  ///
  /// The maximum doubles with each failure, up to ``retryMax``. The actual wait is random,
  /// between zero and the maximum, so that devices don't all return to a failed server at once
  /// ("full jitter").
  public var retryMin: Duration
  /// The maximum time to wait after any failure.
  public var retryMax: Duration

  /// Creates a schedule.
  ///
  /// The defaults suit an app in the foreground.
  ///
  /// - Parameters:
  ///   - delay: The time to wait after an append.
  ///   - interval: The time after which to sync without a change, or `nil` to sync only after a
  ///     change.
  ///   - retryMin: The maximum time to wait after the first failure.
  ///   - retryMax: The maximum time to wait after any failure.
  public init(
    delay: Duration = .milliseconds(500), interval: Duration? = .seconds(60),
    retryMin: Duration = .milliseconds(500), retryMax: Duration = .seconds(300)
  ) {
    (self.delay, self.interval) = (delay, interval)
    (self.retryMin, self.retryMax) = (retryMin, retryMax)
  }
}

/// A task that keeps a store in sync with remotes.
///
/// Call ``EventStore/replicate(with:_:)`` to create a replicator. It runs until you call
/// ``stop()``, or close or release the store. Keep a reference to the store, not to the replicator:
/// if the store is released first, the last status of each remote is `stopped`, with that reason.
///
/// It syncs with each remote when it starts, after appends, when a remote folder or journal
/// changes, and at intervals. Remotes don't wait for each other, and appends don't wait for
/// remotes. After a failure, the replicator tries again, with growing delays. The delay continues
/// after a restart of the app.
public final class Replicator: Sendable {
  /// The state of the replication with one remote.
  public struct Status: Sendable, Identifiable {
    /// The address of the remote.
    public let id: String
    /// The current phase.
    public package(set) var phase = Phase.waiting
    /// The time of the last successful sync, or `nil` if none is known.
    ///
    /// It is remembered over a restart of the app.
    public package(set) var lastSynced: Timestamp?
    /// The time of the first failure since the last successful sync, or `nil` if none has failed.
    ///
    /// It is remembered over a restart of the app.
    public package(set) var failingSince: Timestamp?
    /// The report of the last successful sync, or `nil` if none has succeeded since the replicator
    /// started.
    ///
    /// It lists the events that one side has refused, and those that aren't available yet.
    public internal(set) var lastReport: SyncReport?
    /// Whether the remote has answered since the replicator started.
    package internal(set) var hasAnswered = false

    package init(id: String) { self.id = id }
  }

  /// The phases of the replication with one remote.
  public enum Phase: Sendable {
    /// No sync was tried yet, or neither side contains events yet.
    case waiting
    /// A sync is running.
    case syncing
    /// A sync ended at the given time, and nothing was added here after it.
    ///
    /// Both sides contained the same events then, except for those that ``Status/lastReport`` lists
    /// as refused or not available yet.
    case synced(at: Timestamp)
    /// Events went in one direction only at the given time.
    ///
    /// The error says why: one of the two users has adopted the other, or a sync was asked to send
    /// only. The replicator continues. The remote alone doesn't keep the user's devices in sync.
    case oneWay(at: Timestamp, because: EventLogError)
    /// The store contains the given number of events that the remote is missing, the oldest since
    /// the given time.
    case pending(Int, since: Timestamp)
    /// The last sync failed.
    ///
    /// The next one starts at the given time.
    case retrying(at: Timestamp, because: EventLogError)
    /// The last sync failed in a way that another attempt wouldn't fix.
    ///
    /// The error's hint says what to do. ``Replicator/syncNow()`` tries again.
    case stopped(because: EventLogError)
  }

  private let board: ReplicatorBoard
  private let task: Task<Void, Never>
  private let loops: [ReplicatorLoop]
  private let store: Weak<EventStore>

  init(
    _ store: EventStore, _ remotes: [any Remote], _ schedule: ReplicationSchedule,
    _ tools: ReplicatorTools
  ) {
    var seen: Set<String> = []
    let remotes = remotes.filter { seen.insert($0.address).inserted }
    let board = ReplicatorBoard(remotes.map(\.address))
    self.board = board
    let loops = remotes.map { ReplicatorLoop(store, $0, schedule, board, tools) }
    self.loops = loops
    let (weakStore, path) = (Weak(store), store.path)
    self.store = weakStore
    let states = store.changes
    task = Task {
      await withDiscardingTaskGroup { group in
        for loop in loops { group.addTask { await loop.run() } }
        group.addTask {
          for await state in states {
            for loop in loops { loop.noteState(state.eventCount) }
          }
        }
      }
      if weakStore.object == nil { board.end(because: .released(path)) }
      board.finish()
    }
  }

  deinit { task.cancel() }

  /// The status of each remote, in the order in which the remotes were given.
  public var statuses: [Status] { board.feed.value }

  /// The current statuses, followed by the latest statuses after each change.
  ///
  /// A slow reader receives the latest statuses. The sequence ends with the replicator.
  public var updates: AsyncStream<[Status]> { board.feed.changes }

  /// The reports of all syncs that succeed from now on, each with the address of the remote.
  ///
  /// Iterate over them to show notices and refused events. A slow reader misses none. Errors are in
  /// ``statuses``. The sequence ends with the replicator.
  public var reports: AsyncStream<(remote: String, report: SyncReport)> { board.reports.values }

  /// Syncs with all remotes now, including those that are waiting to retry or have stopped.
  ///
  /// Call this method when the network is available again, or when the user pulls to refresh.
  public func syncNow() { for loop in loops { loop.wakeUp.raise(.requested) } }

  /// Syncs again with a remote that the store was synced with by other means.
  func noteSync(with address: String) {
    for loop in loops where loop.address == address { loop.wakeUp.raise(.requested) }
  }

  /// Ends the replication.
  ///
  /// When the call returns, no sync is running anymore. Events that were already transferred stay.
  public func stop() async {
    cancel()
    await task.value
    store.object?.replicators.withLock { $0.removeAll { $0 === self } }
  }

  /// Ends the replication without waiting for a sync that is running.
  func cancel() { task.cancel() }
}

extension EventStore {
  /// Keeps this store in sync with remotes.
  ///
  /// ```swift
  /// let replicator = store.replicate(with: [FolderRemote(sharedFolder)])
  /// for await statuses in replicator.updates { show(statuses) }
  /// ```
  ///
  /// The replication continues until you call ``Replicator/stop()``, or until the store is closed
  /// or released. The store keeps the replicator, so you can ignore the result. The replicator
  /// doesn't keep the store: keep it yourself for as long as it should sync. New conflicts appear
  /// in ``snapshot``.
  ///
  /// - Parameters:
  ///   - remotes: The remotes to sync with. A second remote with the same address is ignored.
  ///   - schedule: The delays between syncs.
  /// - Returns: The replicator, which shows the status of each remote.
  @discardableResult
  public func replicate(
    with remotes: [any Remote], _ schedule: ReplicationSchedule = ReplicationSchedule()
  ) -> Replicator {
    replicate(with: remotes, schedule, using: ReplicatorTools())
  }

  /// Keeps this store in sync with remotes, as ``replicate(with:_:)`` does.
  package func replicate(
    with remotes: [any Remote], _ schedule: ReplicationSchedule = ReplicationSchedule(),
    using tools: ReplicatorTools
  ) -> Replicator {
    let replicator = Replicator(self, remotes, schedule, tools)
    replicators.withLock { $0.append(replicator) }
    return replicator
  }
}

/// The services that a replicator uses.
package struct ReplicatorTools: Sendable {
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Called after each sync with its result.
  var onEnd: @Sendable (_ address: String, Result<SyncReport, EventLogError>) -> Void = { _, _ in }
  /// Throws `canceled` if no events may be transferred any more. The replication ends then.
  var permission: @Sendable () throws(EventLogError) -> Void = {}
}

extension ReplicatorTools {
  package init(
    onEnd: @escaping @Sendable (_ address: String, Result<SyncReport, EventLogError>) -> Void
  ) { self.onEnd = onEnd }

  package init(permission: @escaping @Sendable () throws(EventLogError) -> Void) {
    self.permission = permission
  }
}

/// The statuses of all remotes, which the loops write.
final class ReplicatorBoard: Sendable {
  let feed: LatestFeed<[Replicator.Status]>
  let reports = ReportFeed()

  init(_ addresses: [String]) {
    feed = LatestFeed(addresses.map { Replicator.Status(id: $0) })
  }

  /// Changes the status of one remote.
  func update(_ address: String, _ change: (inout Replicator.Status) -> Void) {
    feed.update { statuses in
      guard let index = statuses.firstIndex(where: { $0.id == address }) else { return }
      change(&statuses[index])
    }
  }

  /// Adds the report of a sync to the status of its remote.
  func report(_ report: SyncReport, of address: String, at time: Timestamp) {
    update(address) { status in
      (status.failingSince, status.hasAnswered, status.lastReport) = (nil, true, report)
      if let oneWay = report.oneWay {
        status.phase = .oneWay(at: time, because: .oneWay(address, oneWay))
      } else {
        (status.phase, status.lastSynced) = (.synced(at: time), time)
      }
    }
    reports.send((address, report))
  }

  /// Stops all remotes for the same reason.
  func end(because error: EventLogError) {
    feed.update { statuses in
      for index in statuses.indices { statuses[index].phase = .stopped(because: error) }
    }
  }

  func finish() {
    feed.finish()
    reports.finish()
  }
}

/// Passes each report to every reader. A slow reader misses none, unlike with ``LatestFeed``.
final class ReportFeed: Sendable {
  typealias Element = (remote: String, report: SyncReport)

  /// Nil after the end.
  private let readers = Mutex<[AsyncStream<Element>.Continuation]?>([])

  /// The reports sent from now on.
  var values: AsyncStream<Element> {
    AsyncStream { reader in
      let isOpen = readers.withLock { readers in
        readers?.append(reader)
        return readers != nil
      }
      if !isOpen { reader.finish() }
    }
  }

  func send(_ element: Element) {
    readers.withLock { readers in
      readers?.removeAll { reader in
        if case .terminated = reader.yield(element) { true } else { false }
      }
    }
  }

  func finish() {
    let last = readers.withLock { readers in
      defer { readers = nil }
      return readers ?? []
    }
    for reader in last { reader.finish() }
  }
}

extension EventLogError {
  /// The error of a replication whose store was released.
  fileprivate static func released(_ path: String) -> EventLogError {
    EventLogError(
      .usage, "The store of \"\(path)\" was released, so it syncs no longer. Nothing was lost.",
      hint: "Keep the store for as long as it should sync. To end a replication, call stop().")
  }
}
