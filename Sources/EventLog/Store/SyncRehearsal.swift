/// What runs with several remotes would come to, one after the other: each finds what the ones
/// before it would have brought.
///
/// ```swift
/// let rehearsal = store.syncRehearsal()
/// for remote in remotes {
///   for try await progress in rehearsal.replication(with: remote) { … }
/// }
/// ```
///
/// Nothing is changed anywhere. Each remote stands as it is: what an earlier run would have given
/// it, a later run of the same rehearsal would give it too. Where events are missing in the
/// journal, each run is rehearsed by itself.
public struct SyncRehearsal: Sendable {
  private let local: StoreReplica

  init(local: StoreReplica) { self.local = local }

  /// The next run; one at a time, and to its end.
  public func replication(
    with remote: some Remote, _ directions: ReplicationPlan.Directions = .both,
    requiringEvents requiresEvents: Bool = false
  ) -> Replication {
    Replication(
      local: local, remote: remote, directions, rehearsing: true, requiringEvents: requiresEvents)
  }
}
