public import EventLog
public import EventLogRemotes

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

extension EventStore {
  /// Returns which remotes have all events of a record, as far as this device knows.
  ///
  /// The journal is read on a separate thread, so appends continue meanwhile. No remote is
  /// contacted.
  ///
  /// - Parameter id: The record.
  /// - Returns: The status of the remembered remotes and those of the app's replicators. `synced`
  ///   means that the remote had every event of the record when the last sync with it ended, and
  ///   that none was added since. `pending` counts the record's events that the remote isn't known
  ///   to have. `waiting` means that no sync with the remote was recorded on this device. There are
  ///   no other phases.
  /// - Throws: `noEntity`; the errors of ``Journal/status()``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func places<R: Record>(
    of id: ID<R>
  ) async throws(EventLogError) -> [Replicator.Status] {
    try await reading { (journal) throws(EventLogError) in
      try journal.coverage { (state) throws(EventLogError) in
        guard let entity = state.fold.entityNames.find(id.description),
          state.fold.entities[entity].row >= 0
        else {
          throw EventLogError(
            .noEntity, "\"\(id)\" does not exist.", hint: EventLogError.AppHint.noEntity,
            at: .init(file: journal.path))
        }
        return .entity(entity, id.description)
      }.remotes.map(\.status)
    }
  }
}
