import Synchronization

/// When a ``Replicator`` syncs with its remotes.
public struct ReplicationSchedule: Sendable, Hashable {
  /// How long it waits after an append, so that a burst of appends is one sync.
  public var delay: Duration
  /// How long it waits before it looks at a remote again that has not told of a change; nil: it
  /// does not look.
  public var interval: Duration?
  /// How long it waits at most after the first failure; twice as long after each further one, up
  /// to ``retryMax``. The wait is random between nothing and that, so that devices that lost one
  /// server do not come back to it all at once ("full jitter").
  public var retryMin: Duration
  /// How long it waits at most after any failure.
  public var retryMax: Duration

  /// A schedule for an app in the foreground.
  public init(
    delay: Duration = .milliseconds(500), interval: Duration? = .seconds(60),
    retryMin: Duration = .milliseconds(500), retryMax: Duration = .seconds(300)
  ) {
    (self.delay, self.interval) = (delay, interval)
    (self.retryMin, self.retryMax) = (retryMin, retryMax)
  }
}

/// Keeps a store in sync with its remotes, for as long as it is held.
///
/// It syncs with each when it begins, after appends, when a folder or a journal that is a remote
/// changes, and at intervals. Remotes do not wait for one another, and appends wait for none. A
/// remote that fails is tried again, later and later; how late survives a restart of the app.
public final class Replicator: Sendable {
  /// How it stands with one remote.
  public struct Status: Sendable, Identifiable {
    /// The address of the remote.
    public let id: String
    /// What is going on.
    public internal(set) var phase = Phase.waiting
    /// When the last sync succeeded; nil where none has since the replicator began.
    public internal(set) var lastSynced: Timestamp?
  }

  /// What is going on with one remote.
  public enum Phase: Sendable {
    /// Nothing was tried yet, or there is nothing to sync on either side.
    case waiting
    /// A sync is under way.
    case syncing
    /// Both sides held the same at that time.
    case synced(at: Timestamp)
    /// So many events have come to this store since, and the remote does not have them yet.
    case pending(Int, since: Timestamp)
    /// The last sync failed, and the next one begins at that time.
    case retrying(at: Timestamp, because: EventLogError)
    /// The last sync failed in a way that a further one would not mend; the error's hint says what
    /// to do. ``Replicator/syncNow()`` tries again.
    case stopped(because: EventLogError)
  }

  private let board: ReplicatorBoard
  private let task: Task<Void, Never>

  init(
    _ store: EventStore, _ remotes: [any Remote], _ schedule: ReplicationSchedule,
    _ tools: ReplicatorTools
  ) {
    var seen: Set<String> = []
    let remotes = remotes.filter { seen.insert($0.address).inserted }
    let board = ReplicatorBoard(remotes.map(\.address))
    self.board = board
    let loops = remotes.map { ReplicatorLoop(store, $0, schedule, board, tools) }
    board.wake = { for loop in loops { loop.wakeUp.raise(.asked) } }
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
      board.finish()
    }
  }

  deinit { task.cancel() }

  /// How it stands with each remote, in the order in which they were given.
  public var statuses: [Status] { board.feed.value }

  /// How it stands now, and after each change.
  ///
  /// A slow reader gets the latest. The sequence ends with the replicator.
  public var updates: AsyncStream<[Status]> { board.feed.changes }

  /// Syncs with all remotes at once, also with those that have to wait or have stopped: when the
  /// network is back, or somebody pulls to refresh.
  public func syncNow() { board.wake() }

  /// Ends the replication; nothing of it goes on when this returns, and what had crossed stays.
  public func stop() async {
    task.cancel()
    await task.value
  }
}

extension EventStore {
  /// Begins to keep this store in sync with remotes.
  ///
  /// ```swift
  /// let replicator = store.replicate(with: [FolderRemote(sharedFolder)])
  /// for await statuses in replicator.updates { show(statuses) }
  /// ```
  ///
  /// Hold the ``Replicator`` for as long as it shall go on. Conflicts that arise are among those of
  /// ``snapshot``.
  public func replicate(
    with remotes: [any Remote], _ schedule: ReplicationSchedule = ReplicationSchedule()
  ) -> Replicator {
    Replicator(self, remotes, schedule, ReplicatorTools())
  }

  /// The same for the command, which says what came of each sync.
  package func replicate(
    with remotes: [any Remote],
    onEnd: @escaping @Sendable (_ address: String, Result<SyncReport, EventLogError>) -> Void
  ) -> Replicator {
    Replicator(self, remotes, ReplicationSchedule(), ReplicatorTools(onEnd: onEnd))
  }
}

/// What a replicator asks of its surroundings, and tells them.
struct ReplicatorTools: Sendable {
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Called after each sync, with what came of it.
  var onEnd: @Sendable (_ address: String, Result<SyncReport, EventLogError>) -> Void = { _, _ in }
}

/// Where the loops say how it stands, and everybody reads it.
final class ReplicatorBoard: Sendable {
  let feed: LatestFeed<[Replicator.Status]>
  private let waking = Mutex<@Sendable () -> Void>({})

  init(_ addresses: [String]) {
    feed = LatestFeed(addresses.map { Replicator.Status(id: $0) })
  }

  /// Has all loops sync at once.
  var wake: @Sendable () -> Void {
    get { waking.withLock { $0 } }
    set { waking.withLock { $0 = newValue } }
  }

  /// Says how it stands with one remote.
  func update(_ address: String, _ change: (inout Replicator.Status) -> Void) {
    feed.update { statuses in
      guard let index = statuses.firstIndex(where: { $0.id == address }) else { return }
      change(&statuses[index])
    }
  }

  func finish() {
    // Whoever is woken holds this board.
    wake = {}
    feed.finish()
  }
}
