extension EventStore {
  /// Returns a past state: at a time, at an event, or as a device last knew it.
  ///
  /// The journal is read on a separate thread, so appends can continue. The result takes
  /// buffered appends into account.
  ///
  /// - Parameters:
  ///   - cut: The part of the journal to include.
  ///   - includingDeleted: Whether the snapshot also shows deleted entities.
  /// - Returns: The state of that part of the journal.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `noEvent` or `noDevice` if the journal
  ///   doesn't contain the event or device that `cut` refers to.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func snapshot(
    at cut: Cut, includingDeleted: Bool = false
  ) async throws(EventLogError) -> Snapshot {
    try await reading { (journal) throws(EventLogError) in
      try journal.snapshot(at: cut, includingDeleted: includingDeleted).snapshot
    }
  }
}
