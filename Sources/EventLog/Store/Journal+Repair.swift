extension Journal {
  /// Takes what is missing or damaged here from another copy of the journal, and settles forks with
  /// it.
  ///
  /// Of two events under one ID, the one with the smaller `crc` keeps it, and what was written
  /// behind it; the others, and the events that have seen them, are written again under fresh
  /// device IDs, with all that they say. So both branches' work is kept, every copy comes to the
  /// same, and running it again, or on several devices at once, changes nothing further. What is
  /// taken out of the journal is put in quarantine first. Stores that have the journal open, in
  /// this process or another, read it again.
  ///
  /// - Parameters:
  ///   - remote: another journal, a folder, or what else can be replicated with.
  ///   - options: how the journal is written.
  /// - Throws: `noJournal`, `notAJournal`; what keeps the remote from being reached; `otherUser`;
  ///   `locked`, `inputOutput`, `syncFailed`. The journal is then as it was, or further repaired,
  ///   and whole either way.
  /// - Complexity: O(size of the journal) where something is repaired.
  public func repair(
    from remote: some Remote, options: JournalOptions = JournalOptions()
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).run(from: remote)
  }

  /// Puts in order what needs no other copy: an end that is in doubt, lines that stand twice or
  /// behind their place, forks of which both branches stand in the file.
  ///
  /// - Parameters:
  ///   - givingUp: whether holes are given up that no other copy can refill: damaged lines are put
  ///     in quarantine, and the events behind a hole are written again under fresh device IDs.
  ///   - options: how the journal is written.
  /// - Throws: as ``repair(from:options:)``.
  /// - Complexity: O(size of the journal).
  public func repair(
    givingUp: Bool = false, options: JournalOptions = JournalOptions()
  ) async throws(EventLogError) -> RepairReport {
    try await JournalRepair(local: replica(options)).run(givingUp: givingUp)
  }

  private func replica(_ options: JournalOptions) -> LedgerReplica {
    var options = options
    options.fileSystem = fileSystem
    return LedgerReplica(path, options)
  }
}
