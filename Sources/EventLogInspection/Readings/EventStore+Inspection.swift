public import EventLog

extension EventStore {
  /// Returns every write of a field: who wrote it, when, which writes it replaced, and whether it
  /// is shown.
  ///
  /// The journal is read on a separate thread, so appends can continue.
  ///
  /// - Parameters:
  ///   - entity: The entity: `<kind>/<key>`, the kind of a singleton, or an unambiguous key,
  ///     key prefix, or name. For a day, append `@YYYY-MM-DD`.
  ///   - field: The name of the field, or `presence` for the creation, deletion, and restoration of
  ///     the entity.
  ///   - cut: The part of the journal to include, or `nil` for all of it.
  /// - Returns: The writes of the field, and the problems found in the file.
  /// - Throws: The errors of ``Journal/why(_:_:at:)``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func why(
    _ entity: String, _ field: String, at cut: Cut? = nil
  ) async throws(EventLogError) -> FieldReading {
    try await reading { (journal) throws(EventLogError) in
      try journal.why(entity, field, at: cut)
    }
  }

  /// Checks every line and every event of the journal.
  ///
  /// The journal is read on a separate thread, so appends can continue. The check also finds
  /// damage that occurred after this store had read the line. If it finds a problem, it discards
  /// the checkpoint, so that the next store that opens reads the whole file. To recover the events,
  /// sync, or call `Journal.repair(from:options:)`.
  ///
  /// - Returns: A report of the problems found.
  /// - Throws: `noJournal`, `inputOutput`. A damaged journal isn't an error.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func verify() async throws(EventLogError) -> VerificationReport {
    try await reading { (journal) throws(EventLogError) in try journal.verify() }
  }
}
