extension EventStore {
  /// Looks back at a part of the journal: the state as it was at a time, at an event, or as a
  /// device knew it.
  ///
  /// It reads the journal on a thread of its own; appends go on meanwhile. What the store has
  /// written is in it, also where it is not durable yet.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `noEvent` or `noDevice` for a cut that
  ///   names what the journal does not hold.
  /// - Complexity: O(file size).
  public func snapshot(
    at cut: Cut, includingDeleted: Bool = false
  ) async throws(EventLogError) -> Snapshot {
    let journal = Journal(path: path, catalog: catalog, fileSystem: options.fileSystem)
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
