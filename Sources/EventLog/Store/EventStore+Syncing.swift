import Synchronization

extension EventStore {
  /// Syncs with a remote once: fetches the events that this store is missing, and sends the events
  /// that the remote is missing.
  ///
  /// Both directions include the events of other devices. Lines are transferred byte for byte, and
  /// the receiver verifies each of them. An invalid event is refused, together with the events that
  /// depend on it, and listed in the report; all other events are transferred. Syncing again
  /// changes nothing. If this store has no journal yet, the sync creates one. A `Replicator` with
  /// the same remote syncs again at once, so that its status is up to date.
  ///
  /// A remote without events isn't an error, even if you only fetch. To make it one, iterate over
  /// ``replication(with:_:dryRun:requiringEvents:)``. A folder or another journal that this journal
  /// was synced with has to contain events: if it is gone, such as with a drive that isn't mounted,
  /// it isn't created again, unless you `forget` it first.
  ///
  /// - Parameters:
  ///   - remote: The remote to sync with.
  ///   - directions: Whether to fetch events, send events, or both.
  /// - Returns: A report of the events that were transferred, and of new conflicts.
  /// - Throws: The error that keeps the remote from being reached; `otherUser`; `noJournal` if
  ///   neither side has a journal, or if such a remote contains no events; `tooManyDevices`;
  ///   `locked`; `inputOutput`; `syncFailed`; `canceled`; `usage` if the remote is the journal
  ///   itself, or if the store is closed. Events that were already transferred stay.
  /// - Complexity: O(*n*), where *n* is the number of events transferred. If there are new
  ///   conflicts, the journal may be read once more.
  @discardableResult
  public func sync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await sync(
      by: replication(with: remote, directions, requiringEvents: await wasShared(remote)))
  }

  /// Syncs with a remote once, as long as the caller permits it.
  ///
  /// - Parameters:
  ///   - readsAll: Whether to read all of the remote, to find data that was damaged or removed
  ///     since an earlier sync.
  ///   - permission: Throws if no events may be transferred.
  @discardableResult
  package func sync(
    with remote: some Remote, readingAll readsAll: Bool,
    permission: @escaping @Sendable () throws(EventLogError) -> Void = {}
  ) async throws(EventLogError) -> SyncReport {
    var replication = replication(with: remote, requiringEvents: await wasShared(remote))
    (replication.readsAll, replication.permission) = (readsAll, permission)
    return try await sync(by: replication)
  }

  /// Whether a remote is a path on this device that has contained events.
  ///
  /// The path may lead to another disk by now. Other remotes that have lost everything are filled
  /// again.
  private func wasShared(_ remote: some Remote) async -> Bool {
    guard remote is any LocalRemote else { return false }
    let (side, address) = (side, remote.address)
    let hasHeldEvents = try? await worker.performQuietly { (_) throws(EventLogError) in
      side.hasHeldEvents(address)
    }
    return hasHeldEvents ?? false
  }

  private func sync(by replication: Replication) async throws(EventLogError) -> SyncReport {
    let report = try await report(of: replication)
    let address = replication.remote.address
    for running in replications.withLock({ $0 }) { running.noteSync(with: address) }
    return report
  }

  /// Reports what ``sync(with:_:)`` would do, without changing anything.
  ///
  /// - Parameters:
  ///   - remote: The remote to compare with.
  ///   - directions: Whether to consider fetching events, sending events, or both.
  /// - Returns: The report that a sync would return, including the conflicts that would arise.
  /// - Throws: The errors of ``sync(with:_:)``.
  public func dryRunSync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await report(
      of: replication(
        with: remote, directions, dryRun: true, requiringEvents: await wasShared(remote)))
  }

  /// Returns one run of ``sync(with:_:)`` or ``dryRunSync(with:_:)`` as a sequence of its steps.
  ///
  /// - Parameters:
  ///   - remote: The remote to replicate with.
  ///   - directions: Whether to fetch events, send events, or both.
  ///   - isDryRun: Whether to leave both sides unchanged.
  ///   - requiresEvents: Whether an empty remote is an error. Pass `true` if the remote contained
  ///     events before: if it is empty now, it is probably the wrong place, such as the mount point
  ///     of a drive that isn't mounted.
  /// - Returns: A sequence that advances the run as you iterate over it.
  public func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    dryRun isDryRun: Bool = false, requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    Replication(
      local: Replica(worker), remote: remote.reachable, directions, dryRun: isDryRun,
      requiringEvents: requiresEvents)
  }

  /// Begins a dry run with several remotes, one after the other.
  package func syncDryRun() -> SyncDryRun {
    SyncDryRun(local: Replica(worker, asOneDryRun: true))
  }

  /// The ``Snapshot/unknownNames`` of the journal, even if its state isn't published.
  package func unknownNames() async throws(EventLogError) -> [String] {
    try await Replica(worker).unknownNames()
  }

  private func report(of replication: Replication) async throws(EventLogError) -> SyncReport {
    var report = SyncReport()
    for try await progress in replication {
      if case .finished(let done) = progress { report = done }
    }
    return report
  }
}
