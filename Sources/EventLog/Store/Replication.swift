/// A run of a replication, as a sequence of its steps.
///
/// The run advances as you iterate over the sequence.
///
/// ```swift
/// for try await progress in store.replication(with: remote) {
///   if case .pulled(let count, let total) = progress { show(count, of: total) }
/// }
/// ```
///
/// Each step transfers one batch. The run can end between any two steps: if you leave the loop, if
/// the task is canceled, or if the process is killed. Events that were already transferred stay,
/// and the next run continues from there. Several runs at the same time do no harm.
public struct Replication: AsyncSequence, Sendable {
  /// The progress after each step.
  public typealias Element = SyncProgress
  /// The error that ends a run early.
  public typealias Failure = EventLogError

  private(set) var local: Replica
  let remote: any ReachableRemote
  let directions: ReplicationPlan.Directions
  let isDryRun: Bool
  /// Whether a remote without events is an error.
  let requiresEvents: Bool
  let prelude: (any ReplicationPrelude)?
  /// Whether to list and read all of the remote, regardless of the findings of earlier runs.
  var readsAll = false
  /// Throws if no events may be transferred, or no more.
  package var permission: @Sendable () throws(EventLogError) -> Void = {}

  package init(
    local: Replica, remote: any ReachableRemote, _ directions: ReplicationPlan.Directions,
    dryRun isDryRun: Bool, requiringEvents requiresEvents: Bool = false,
    prelude: (any ReplicationPrelude)? = nil
  ) {
    self.prelude = prelude
    self.local = local
    self.remote = remote
    self.directions = directions
    self.isDryRun = isDryRun
    self.requiresEvents = requiresEvents
  }

  /// Begins a new run.
  public func makeAsyncIterator() -> Iterator {
    var begun = self
    begun.local = local.begun()
    return Iterator(run: ReplicationRun(begun))
  }

  /// An iterator that performs the steps of one run.
  public struct Iterator: AsyncIteratorProtocol {
    let run: ReplicationRun

    /// Performs the next step.
    ///
    /// - Parameter actor: The actor on which the caller runs.
    /// - Returns: The progress, or `nil` if the run has ended.
    /// - Throws: `canceled` if the task is canceled; the error that keeps the remote from being
    ///   reached; `otherUser`; `noJournal` if the remote is required to contain events and doesn't;
    ///   `tooManyDevices`; `locked`, `inputOutput`, `syncFailed`.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(EventLogError) -> SyncProgress? {
      try await run.step()
    }

    /// Performs the next step.
    ///
    /// - Returns: The progress, or `nil` if the run has ended.
    /// - Throws: The errors of ``next(isolation:)``.
    public mutating func next() async throws(EventLogError) -> SyncProgress? {
      try await run.step()
    }
  }
}

/// The progress of a replication.
public enum SyncProgress: Sendable {
  /// Both sides have stated which events they have.
  case planned(ReplicationPlan)
  /// The given number of events was received, of the number planned.
  case pulled(Int64, of: Int64)
  /// The given number of events was sent, of the number planned.
  case pushed(Int64, of: Int64)
  /// The run has ended.
  case finished(SyncReport)
}
