public import EventLog
public import EventLogRemotes

extension TemporaryStore {
  /// Syncs with another device.
  ///
  /// The devices sync with the same replication that apps use. Syncing again changes nothing.
  ///
  /// - Parameters:
  ///   - other: The other device.
  ///   - directions: Whether to fetch events, send events, or both.
  /// - Returns: A report of the events that were transferred, and of new conflicts.
  /// - Throws: `otherUser` if the devices belong to different users; `usage` if they are one;
  ///   `inputOutput`, `locked`, `syncFailed`.
  @discardableResult
  public func sync(
    with other: TemporaryStore, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    // Include the buffered events of the other device.
    try await other.store.sync()
    let report = try await sync(with: other.remote, directions)
    do throws(EventLogError) {
      try await other.store.refresh()
    } catch {
      // A device without events has no journal yet.
      guard error.code == .noJournal, other.store.snapshot.eventCount == 0 else { throw error }
    }
    return report
  }

  /// Syncs with a remote, like `EventStore.sync(with:_:)`.
  @discardableResult
  public func sync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await store.sync(with: remote, directions)
  }

  /// Reports what a sync would do, like `EventStore.dryRunSync(with:_:)`.
  public func dryRunSync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await store.dryRunSync(with: remote, directions)
  }

  /// Returns a run as a sequence of its steps, like
  /// `EventStore.replication(with:_:dryRun:requiringEvents:)`.
  public func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    dryRun isDryRun: Bool = false, requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    store.replication(
      with: remote, directions, dryRun: isDryRun, requiringEvents: requiresEvents)
  }

  /// Keeps this device in sync with remotes, like `EventStore.replicate(with:_:)`.
  @discardableResult
  public func replicate(
    with remotes: [any Remote], _ schedule: ReplicationSchedule = ReplicationSchedule()
  ) -> Replicator {
    store.replicate(with: remotes, schedule)
  }

  /// Starts a dry run with several remotes, like `EventStore.syncDryRun()`.
  package func syncDryRun() -> SyncDryRun { store.syncDryRun() }

  /// The device's journal as a remote, on its own disk.
  public var remote: JournalRemote { JournalRemote(path: store.path, options: options) }
}
