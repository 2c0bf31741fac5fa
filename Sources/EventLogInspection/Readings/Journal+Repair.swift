public import EventLog

extension Journal {
  /// Fetches missing and damaged events from another copy of the journal.
  ///
  /// The events are appended; no existing byte of the journal changes. Repairing again changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - remote: The remote that contains the other copy.
  ///   - options: How to write to the journal.
  ///   - onProgress: Called after each step, with the number of events received.
  /// - Returns: A report of the events that were recovered, and of those that are still missing.
  /// - Throws: `noJournal`, `notAJournal`; the error that keeps the remote from being reached;
  ///   `otherUser`; `locked`, `inputOutput`, `syncFailed`. Events that were already appended stay.
  public func repair(
    from remote: some Remote, options: JournalOptions = JournalOptions(),
    onProgress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).run(from: remote.reachable, onProgress)
  }

  /// Acknowledges that the missing events are lost.
  ///
  /// Afterward, the journal and all devices that it syncs with stop expecting the events, and a
  /// check of the journal no longer reports them as a problem. If the events turn up later, they
  /// are accepted like any others.
  ///
  /// For each range of missing events, the journal gets an event of the type `device.lost`. Damaged
  /// bytes that no event refers to are recorded in the side folder.
  ///
  /// - Parameter options: How to write to the journal.
  /// - Returns: A report of the losses that were acknowledged.
  /// - Throws: `noJournal`, `notAJournal`, `userNeeded`, `locked`, `inputOutput`, `syncFailed`.
  public func acceptLoss(
    options: JournalOptions = JournalOptions()
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).acceptLoss()
  }

  private func replica(_ options: JournalOptions) -> Replica {
    var options = options
    options.fileSystem = fileSystem
    return Replica(path, options)
  }
}
