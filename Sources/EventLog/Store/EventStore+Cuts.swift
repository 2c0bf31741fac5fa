extension EventStore {
  /// Returns a past state: at a time, at an event, or as a device last knew it.
  ///
  /// The journal is read on a separate thread, so appends continue meanwhile. The result takes
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
    let journal = Journal(self)
    let result: Result<Snapshot, EventLogError> = await withCheckedContinuation { continuation in
      SerialWorker(label: "eventlog.cut").run {
        continuation.resume(
          returning: Result { () throws(EventLogError) in
            try journal.snapshot(at: cut, includingDeleted: includingDeleted).snapshot
          })
      }
    }
    return try result.get()
  }
}

extension Journal {
  /// The journal of a store, read by itself.
  package init(_ store: EventStore) {
    self.init(
      path: store.path, catalog: store.catalog, fileSystem: store.options.fileSystem)
  }
}
