/// Events that a journal appends at the beginning of a replication, before any are transferred.
package protocol ReplicationPrelude: Sendable {
  /// Returns the events, which are appended durably.
  ///
  /// - Parameters:
  ///   - ours: The journal. Its user may be the one of a journal that is yet to be created.
  ///   - theirs: The events that the other side has.
  func drafts(
    for ours: ReplicaState, _ theirs: FrontierStatement
  ) throws(EventLogError) -> [EventDraft]

  /// Checks the journal with the events, before they are written.
  func check(_ ledger: Ledger) throws(EventLogError)

  /// Receives the state at the end of the replication.
  func finish(_ fold: Fold, _ ledger: Ledger)
}

extension EventStore {
  /// Receives the events of a remote after a prelude.
  ///
  /// The remote doesn't become one of the journal's remotes.
  package func replication(
    from remote: any ReachableRemote, after prelude: any ReplicationPrelude,
    dryRun isDryRun: Bool
  ) -> Replication {
    Replication(
      local: Replica(worker), remote: remote, .pull, dryRun: isDryRun, prelude: prelude)
  }
}
