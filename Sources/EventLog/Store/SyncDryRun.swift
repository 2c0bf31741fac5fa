/// What runs with several remotes would come to, one after the other: each finds what the ones
/// before it would have brought.
///
/// ```swift
/// let dryRun = store.syncDryRun()
/// for remote in remotes {
///   for try await progress in dryRun.replication(with: remote) { … }
/// }
/// ```
///
/// Nothing is changed anywhere. Each remote stands as it is: what an earlier run would have given
/// it, a later run of the same dry run would give it too.
package struct SyncDryRun: Sendable {
  private let local: Replica

  init(local: Replica) { self.local = local }

  /// The next run; one at a time, and to its end.
  package func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    Replication(
      local: local, remote: remote.reachable, directions, dryRun: true,
      requiringEvents: requiresEvents)
  }

  /// ``Snapshot/unknownNames`` of what the runs until now would have come to.
  package func unknownNames() async throws(EventLogError) -> [String] {
    try await local.unknownNames()
  }
}
