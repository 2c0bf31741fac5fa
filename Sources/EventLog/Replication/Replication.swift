/// One run of a replication, which goes on as far as its progress is asked for.
///
/// ```swift
/// for try await progress in store.replication(with: remote) {
///   if case .pulled(let count, let total) = progress { show(count, of: total) }
/// }
/// ```
///
/// Each step is one batch. A run may end between any two, because the loop is left, the task is
/// cancelled or the process is killed: what was taken until then stays, and the next run goes on
/// from it. Two runs at once do no harm.
public struct Replication: AsyncSequence, Sendable {
  /// What each step gives: how far the run is.
  public typealias Element = SyncProgress
  /// What ends a run early.
  public typealias Failure = EventLogError

  let local: any Replica
  let remote: any ReachableRemote
  let directions: ReplicationPlan.Directions
  let isDryRun: Bool
  /// Whether a remote that holds nothing is not the one that is meant.
  let requiresEvents: Bool

  package init(
    local: any Replica, remote: any ReachableRemote, _ directions: ReplicationPlan.Directions,
    dryRun isDryRun: Bool, requiringEvents requiresEvents: Bool = false
  ) {
    self.local = local
    self.remote = remote
    self.directions = directions
    self.isDryRun = isDryRun
    self.requiresEvents = requiresEvents
  }

  /// Begins a run of its own each time.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      run: ReplicationRun(
        Replication(
          local: local.begun(), remote: remote, directions, dryRun: isDryRun,
          requiringEvents: requiresEvents)))
  }

  /// Takes the steps of one run.
  public struct Iterator: AsyncIteratorProtocol {
    let run: ReplicationRun

    /// Takes the next step.
    ///
    /// - Throws: `cancelled` where the task is; what keeps the remote from being reached; `locked`,
    ///   `inputOutput`, `syncFailed`; `otherUser`; `noJournal` where the remote has to hold events
    ///   and holds none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(EventLogError) -> SyncProgress? {
      try await run.step()
    }

    /// Takes the next step, and throws as ``next(isolation:)`` does; nil once the run is done.
    public mutating func next() async throws(EventLogError) -> SyncProgress? {
      try await run.step()
    }
  }
}

/// How far a replication is.
public enum SyncProgress: Sendable {
  /// Both sides have said what they hold.
  case planned(ReplicationPlan)
  /// So many events have come, of so many that were planned.
  case pulled(Int64, of: Int64)
  /// So many events have gone, of so many that were planned.
  case pushed(Int64, of: Int64)
  /// The run is done.
  case finished(SyncReport)
}
