public import EventLog

extension TemporaryStore {
  /// Syncs two devices: each takes the events of the other that it does not hold.
  ///
  /// Lines go as they stand, through the product's own replication. Syncing again changes nothing.
  ///
  /// - Throws: `otherUser` for devices of different users; `inputOutput`, `locked`, `syncFailed`.
  @discardableResult
  public func sync(
    with other: TemporaryStore, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    // What the other holds back is part of what it holds.
    try await other.store.sync()
    let report = try await sync(with: other.remote, directions)
    do throws(EventLogError) {
      try await other.store.refresh()
    } catch {
      // A device that has written nothing has no journal yet.
      guard error.code == .noJournal, other.store.snapshot.eventCount == 0 else { throw error }
    }
    return report
  }

  /// Replicates with another place.
  ///
  /// - Throws: as ``EventLog/EventStore/sync(with:_:)``.
  @discardableResult
  public func sync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await store.sync(with: remote, directions)
  }

  /// Says what ``sync(with:_:)`` would do, as ``EventLog/EventStore/dryRunSync(with:_:)``.
  public func dryRunSync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await store.dryRunSync(with: remote, directions)
  }

  /// One run as a sequence of its steps, as
  /// ``EventLog/EventStore/replication(with:_:dryRun:requiringEvents:)``.
  public func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    dryRun isDryRun: Bool = false, requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    store.replication(
      with: remote, directions, dryRun: isDryRun, requiringEvents: requiresEvents)
  }

  /// Begins to keep this device in sync, as ``EventLog/EventStore/replicate(with:_:)``.
  public func replicate(
    with remotes: [any Remote], _ schedule: ReplicationSchedule = ReplicationSchedule()
  ) -> Replicator {
    store.replicate(with: remotes, schedule)
  }

  /// Begins a dry run with several remotes, as ``EventLog/EventStore/syncDryRun()``.
  package func syncDryRun() -> SyncDryRun { store.syncDryRun() }

  /// This device's journal as a place to replicate with, on its own disk.
  public var remote: JournalRemote { JournalRemote(path: store.path, options: options) }
}
