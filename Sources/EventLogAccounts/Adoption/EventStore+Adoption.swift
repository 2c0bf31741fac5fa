public import EventLog
public import EventLogUndo

extension EventStore {
  /// Adopts the user of another journal: that user's events become part of this journal.
  ///
  /// Use it when a guest signs in to an account. The guest's events are copied byte for byte, with
  /// their devices and times. Guest and account wrote concurrently, so nothing is overwritten: if
  /// both wrote different values, a conflict lists both. The guest's journal is only read.
  ///
  /// ```swift
  /// let report = try await store.adopt(JournalRemote(path: guestPath))
  /// for conflict in report.sync.newConflicts { … }
  /// ```
  ///
  /// If the guest had adopted others, these are adopted, too. Adopting a user again receives
  /// missing events. If an undo has hidden the user's data since, the call shows it again, except
  /// for values that other users have written since the undo. Otherwise, nothing changes. After a
  /// crash, adopt again to finish.
  ///
  /// - Parameter journal: The journal of the user to adopt.
  /// - Returns: The users who were adopted, the events that were received, and the conflicts.
  /// - Throws: `invalidInput` if both journals belong to the same user; `damaged` if the other
  ///   journal is damaged; `otherUser` if its user has already adopted this journal's user; and the
  ///   errors of `EventStore.sync(with:_:)`.
  /// - Complexity: O(*n*), where *n* is the number of the other journal's events.
  @discardableResult
  public func adopt(_ journal: JournalRemote) async throws(EventLogError) -> AdoptionReport {
    try await adopt(journal, dryRun: false)
  }

  /// Reports what ``EventStore/adopt(_:)`` would do, without changing anything.
  ///
  /// - Parameter journal: The journal of the user to adopt.
  /// - Returns: The report that an adoption would return, including the conflicts that would arise.
  /// - Throws: The errors of ``EventStore/adopt(_:)``.
  public func dryRunAdoption(
    of journal: JournalRemote
  ) async throws(EventLogError) -> AdoptionReport {
    try await adopt(journal, dryRun: true)
  }

  private func adopt(
    _ journal: JournalRemote, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> AdoptionReport {
    let adoption = Adoption(of: journal)
    var report = SyncReport()
    for try await progress in adoption.replication(into: self, dryRun: isDryRun) {
      if case .finished(let done) = progress { report = done }
    }
    let findings = adoption.findings
    // No undo can have hidden a user whom this call adopted.
    guard let user = findings.users.first,
      !findings.added.contains(where: { $0.hasBytes(of: user) }),
      let restored = try await leaveOut(
        dryRun: isDryRun,
        { (journal) throws(EventLogError) in try journal.writes(showing: user) })
    else { return AdoptionReport(report, findings, restored: nil) }
    if let open = restored.receipt?.snapshot.conflicts {
      report.newConflicts = report.newConflicts.compactMap { new in open.first { $0.id == new.id } }
    }
    return AdoptionReport(report, findings, restored: restored)
  }

  /// Undoes the adoption of a user: restores the state without that user's devices.
  ///
  /// The adopted user's entities are deleted, and fields show the values that the others wrote. The
  /// store appends ordinary events for this, so the undo replicates, and every event stays in the
  /// journal: an undo hides, it doesn't erase. Later writes of other users stay, and an entity of
  /// the adopted user that other users worked on stays whole. To show everything again, adopt the
  /// user again, or undo the receipt.
  ///
  /// - Parameter user: The user who was adopted. Users whom that user had adopted are included.
  /// - Returns: The values that changed, and the entities that stay.
  /// - Throws: `invalidInput` if the journal's user hasn't adopted that user; `changedMeanwhile` if
  ///   other processes keep appending; and the errors of
  ///   `EventStore.append(_:asOf:durability:allowingUnknownTypes:)`.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read twice.
  @discardableResult
  public func undoAdoption(of user: String) async throws(EventLogError) -> DeviceUndoReport {
    try await undoAdoption(of: user, dryRun: false)
  }

  /// Reports what ``EventStore/undoAdoption(of:)`` would do, without changing anything.
  ///
  /// - Parameter user: The user who was adopted.
  /// - Returns: The report that an undo would return.
  /// - Throws: The errors of ``EventStore/undoAdoption(of:)``.
  public func dryRunUndoOfAdoption(
    of user: String
  ) async throws(EventLogError) -> DeviceUndoReport {
    try await undoAdoption(of: user, dryRun: true)
  }

  private func undoAdoption(
    of user: String, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> DeviceUndoReport {
    let result = try await leaveOut(dryRun: isDryRun) { (journal) throws(EventLogError) in
      try journal.writes(hiding: user)
    }
    guard let result else { preconditionFailure("There are writes to hide, or an error.") }
    return result
  }
}
