extension EventStore {
  /// Replicates with another place: takes what it holds and this store does not, gives what this
  /// store holds and it does not, other devices' events too.
  ///
  /// Events go as their lines stand, and are checked completely by whoever takes them. What is
  /// wrong is left out and named in the report, with what follows from it; the rest crosses.
  /// Syncing again changes nothing. A store that has no journal yet gets one.
  ///
  /// - Throws: what keeps the remote from being reached; `otherUser`; `noJournal` where neither
  ///   side has one; `locked`, `inputOutput`, `syncFailed`; `cancelled`. What had crossed until
  ///   then stays.
  /// - Complexity: O(events that cross), and at most one reading of this journal where conflicts
  ///   are new.
  @discardableResult
  public func sync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await report(of: replication(with: remote, directions))
  }

  /// Says what ``sync(with:_:)`` would do, and does none of it: the same report, with the conflicts
  /// that would arise.
  ///
  /// - Throws: as ``sync(with:_:)``.
  public func dryRunSync(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both
  ) async throws(EventLogError) -> SyncReport {
    try await report(of: replication(with: remote, directions, dryRun: true))
  }

  /// One run of ``sync(with:_:)`` or ``dryRunSync(with:_:)`` as a sequence of its steps.
  ///
  /// - Parameter requiresEvents: whether a remote that holds nothing is an error, and given
  ///   nothing: it held events before, so it is another one, as the folder is to which a stick was
  ///   mounted.
  public func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    dryRun isDryRun: Bool = false, requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    Replication(
      local: StoreReplica(worker), remote: remote.reachable, directions, dryRun: isDryRun,
      requiringEvents: requiresEvents)
  }

  /// Begins a dry run with several remotes, one after the other.
  package func syncDryRun() -> SyncDryRun {
    SyncDryRun(local: StoreReplica(worker, asOneDryRun: true))
  }

  private func report(of replication: Replication) async throws(EventLogError) -> SyncReport {
    var report = SyncReport()
    for try await progress in replication {
      if case .finished(let done) = progress { report = done }
    }
    return report
  }
}
