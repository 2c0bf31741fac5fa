public import EventLog
import EventLogSystem
import Synchronization

/// A task that keeps a store in sync with remotes.
///
/// Call `store.replicate(with:)` to create a replicator. It runs until you call
/// ``stop()``, or close or release the store. Keep a reference to the store, not to the replicator:
/// if the store is released first, the last status of each remote is `stopped`, with that reason.
///
/// It syncs with each remote when it starts, after appends, when a remote folder or journal
/// changes, and at intervals. Remotes don't wait for each other, and appends don't wait for
/// remotes. After a failure, the replicator tries again, with growing delays. The delay continues
/// after a restart of the app.
public final class Replicator: RunningReplication {
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
  package func noteSync(with address: String) {
    for loop in loops where loop.address == address { loop.wakeUp.raise(.requested) }
  }

  /// Ends the replication.
  ///
  /// When the call returns, no sync is running anymore. Events that were already transferred stay.
  public func stop() async {
    cancel()
    await task.value
    store.object?.replications.withLock { $0.removeAll { $0 === self } }
  }

  /// Ends the replication without waiting for a sync that is running.
  package func cancel() { task.cancel() }
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
    replications.withLock { $0.append(replicator) }
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
