extension Journal {
  /// Takes what is missing or damaged here from another copy of the journal.
  ///
  /// What comes is appended: no byte of the journal is changed. Running it again changes nothing
  /// further.
  ///
  /// - Parameters:
  ///   - remote: another journal, a folder, or what else can be replicated with.
  ///   - options: how the journal is written.
  /// - Throws: `noJournal`, `notAJournal`; what keeps the remote from being reached; `otherUser`;
  ///   `locked`, `inputOutput`, `syncFailed`. What had come until then stays.
  public func repair(
    from remote: some Remote, options: JournalOptions = JournalOptions()
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).run(from: remote.reachable)
  }

  /// Acknowledges that what is missing here is lost: nobody expects it any more, on any device that
  /// this journal syncs with, and a check of the journal no longer calls it a problem.
  ///
  /// It is written as an event, `device.lost`, for each run of missing events; damaged bytes that
  /// nothing names are noted in the side folder. Should the events turn up, they are taken like any
  /// others.
  ///
  /// - Parameter options: how the journal is written.
  /// - Throws: `noJournal`, `notAJournal`, `userNeeded`, `locked`, `inputOutput`, `syncFailed`.
  public func acceptLoss(
    options: JournalOptions = JournalOptions()
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).acceptLoss()
  }

  private func replica(_ options: JournalOptions) -> JournalReplica {
    var options = options
    options.fileSystem = fileSystem
    return JournalReplica(path, options)
  }
}
