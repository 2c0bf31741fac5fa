public import EventLog
import EventLogUndo

extension EventStore {
  /// Erases the contents of events, here and, after syncing, at every place and device.
  ///
  /// An `event.erased` event is written first, and synced. Then the lines of the named events are
  /// overwritten in place: their bytes keep their length, their IDs and chains, and lose everything
  /// else. Places replace what they store at the next sync, other devices when they receive the
  /// event.
  ///
  /// After a crash, the next append or sync completes it. It can't be undone.
  ///
  /// - Parameters:
  ///   - erasure: What to erase.
  ///   - isDryRun: Whether only to report what would be erased.
  /// - Returns: What was erased.
  /// - Throws: `noEvent` or `noEntity` if there is nothing to erase; `noEntity` also if the
  ///   collection isn't declared; `invalidInput` if something that is shown would change;
  ///   `changedMeanwhile` if others write to the journal all the time; and the errors of an append.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read several times.
  @discardableResult
  public func erase(
    _ erasure: Erasure, dryRun isDryRun: Bool = false
  ) async throws(EventLogError) -> ErasureReport {
    let first = try await plan(erasure)
    if isDryRun || first.statements.isEmpty { return first.report }
    // A total must contain every event that its own event has seen.
    let plan = try await carryOut(first, meaning: "Nothing was erased.") { plan in
      plan.restating.isEmpty ? nil : PlannedAppend(plan.restating, at: plan.ledger.frontier)
    } next: { (earlier, receipt) throws(EventLogError) in
      if receipt == nil { return try await self.plan(erasure) }
      return try await reading { (journal) throws(EventLogError) in
        try earlier.restated(in: journal)
      }
    }
    if plan.statements.isEmpty { return plan.report }
    let report = plan.report
    if report.eventCount > 1000 {
      // An agreement to this erasure must not be one to those of other devices.
      try await agree(toFurther: Int(report.eventCount), evenIfKept: false)
    }
    let mark = UndoMark { _, isReversed in isReversed ? [] : plan.drafts }
    _ = try await append(markedBy: mark, evenWithoutEvents: true) { _, _ in
      let deletion = report.deleted.map {
        EventDraft(type: "\($0.kind).deleted", entity: $0, data: [:])
      }
      return (deletion.map { [$0] } ?? [], ())
    }
    try await refresh()
    return report
  }

  private func plan(_ erasure: Erasure) async throws(EventLogError) -> ErasurePlan {
    try await reading { (journal) throws(EventLogError) in
      try ErasurePlan(erasure, of: journal)
    }
  }

  /// Agrees to overwrite what other devices have erased.
  ///
  /// If they erase more than 1,000 events, and more than half of a journal, the events have no
  /// effect from then on, but their contents are kept here, and this device replaces none at
  /// places: it could be a mistake or an attack. The report of a sync says so.
  ///
  /// After a crash, the next append or sync completes it.
  ///
  /// - Returns: The number of lines whose contents were still here.
  /// - Throws: `inputOutput`, and the errors of an append.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  @discardableResult
  public func agreeToErasures() async throws(EventLogError) -> Int {
    let proof = try await reading { (journal) throws(EventLogError) in try ErasureProof(journal) }
    try await agree(toFurther: 0, evenIfKept: true)
    // The next append overwrites them, also one without events.
    _ = try await append(markedBy: .none, evenWithoutEvents: false) { _, _ in
      Optional<(events: [EventDraft], value: Bool)>.none
    }
    try await refresh()
    return proof.remainders.count { $0.event != nil }
  }

  /// Records that a person agrees to all erasures in the journal, and to the next ones.
  ///
  /// It is done under the journal's lock, because each append may change the same file.
  ///
  /// - Parameter evenIfKept: Whether to do so if lines are kept until a person agrees.
  private func agree(
    toFurther count: Int, evenIfKept: Bool
  ) async throws(EventLogError) {
    let side = SideFolder(beside: path, fileSystem: options.fileSystem)
    let recorded = try await append(markedBy: .none, evenWithoutEvents: false) { _, ledger in
      let result = Result { () throws(EventLogError) in
        var counts = side.erasureCounts
        if counts.kept > 0, !evenIfKept { return }
        counts.agreed = ledger.erasures.extents.count + count
        try side.record(erasureCounts: counts)
      }
      return (events: [EventDraft](), value: result)
    }
    try recorded?.value.get()
  }
}
