package import EventLog

extension EventStore {
  /// Removes the writes of some devices from the state, by appending events.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to append nothing.
  ///   - choose: Reads the journal and returns the writes to leave out, or nil for none.
  /// - Returns: The changes, or nil if `choose` returns nil.
  /// - Throws: `changedMeanwhile` if other processes keep appending; the errors of `choose` and of
  ///   an append.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package func leaveOut(
    dryRun isDryRun: Bool,
    _ choose: @escaping @Sendable (Journal) throws(EventLogError) -> LeftOutWrites?
  ) async throws(EventLogError) -> DeviceUndoReport? {
    for _ in 0..<Self.undoAttempts {
      let rest = try await reading { (journal) throws(EventLogError) in
        try choose(journal).map { (writes) throws(EventLogError) in
          try journal.state(without: writes)
        }
      }
      guard let rest else { return nil }
      if isDryRun {
        try await refresh()
        let snapshot = snapshot
        guard rest.isOf(snapshot.ledger) else { continue }
        var undo = DeviceUndo(in: snapshot.fold, snapshot.ledger, leaving: rest)
        _ = undo.events()
        return undo.result
      }
      if let result = try await append(leaving: rest) { return result }
    }
    throw EventLogError(
      .changedMeanwhile,
      "Other processes appended to \"\(path)\" each time its state was compared. Nothing was"
        + " written.", hint: "Run it again when they are idle.")
  }

  /// The maximum number of attempts, if other processes keep appending.
  private static var undoAttempts: Int { 10 }

  /// Returns nil if events were appended since the journal was read.
  private func append(
    leaving rest: StateWithout
  ) async throws(EventLogError) -> DeviceUndoReport? {
    // Marks the writes as left out, even if that changes nothing yet.
    let appended = try await append(
      markedBy: rest.writes.mark, evenWithoutEvents: !rest.writes.isRepeated
    ) { fold, ledger -> (events: [EventDraft], value: DeviceUndoReport)? in
      guard rest.isOf(ledger) else { return nil }
      var undo = DeviceUndo(in: fold, ledger, leaving: rest)
      let events = undo.events()
      return (events, undo.result)
    }
    guard let appended else { return nil }
    var result = appended.value
    result.receipt = appended.receipt
    return result
  }
}
