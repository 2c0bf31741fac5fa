/// A dry run of syncs with several remotes, one after the other. Each sync starts with the events
/// that the earlier ones would have received.
///
/// ```swift
/// let dryRun = store.syncDryRun()
/// for remote in remotes {
///   for try await progress in dryRun.replication(with: remote) { … }
/// }
/// ```
///
/// Nothing is changed anywhere. Remotes stay as they are: two runs with the same remote would both
/// send it the same events.
package struct SyncDryRun: Sendable {
  private let local: Replica

  init(local: Replica) { self.local = local }

  /// Returns the next run. Complete each run before you start the next one.
  package func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    Replication(
      local: local, remote: remote.reachable, directions, dryRun: true,
      requiringEvents: requiresEvents)
  }

  /// The ``Snapshot/unknownNames`` of the resulting state of all runs so far.
  package func unknownNames() async throws(EventLogError) -> [String] {
    try await local.unknownNames()
  }
}
