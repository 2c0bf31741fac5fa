extension EventStore {
  /// Returns every write of a field: who wrote it, when, which writes it replaced, and whether it
  /// is shown.
  ///
  /// The journal is read on a separate thread, so appends continue meanwhile.
  ///
  /// - Parameters:
  ///   - entity: The entity: `<kind>/<key>`, the kind of a singleton, or an unambiguous key,
  ///     beginning of a key, or name. For a day, append `@YYYY-MM-DD`.
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
  /// The journal is read on a separate thread, so appends continue meanwhile. The check also finds
  /// damage that occurred after this store had read the line. If it finds a problem, it discards
  /// the checkpoint, so that the next store that opens reads the whole file. To recover the events,
  /// sync, or call ``Journal/repair(from:options:)``.
  ///
  /// - Returns: A report of the problems found.
  /// - Throws: `noJournal`, `inputOutput`. A damaged journal isn't an error.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func verify() async throws(EventLogError) -> VerificationReport {
    try await reading { (journal) throws(EventLogError) in try journal.verify() }
  }

  /// Returns which places have all events of a record, as far as this device knows.
  ///
  /// The journal is read on a separate thread, so appends continue meanwhile. No place is
  /// contacted.
  ///
  /// - Parameter id: The record.
  /// - Returns: The status of each place, as ``Journal/places(of:)`` describes it.
  /// - Throws: `noEntity`; the errors of ``Journal/status()``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func places<R: Record>(
    of id: ID<R>
  ) async throws(EventLogError) -> [Replicator.Status] {
    try await reading { (journal) throws(EventLogError) in
      try journal.places(of: id.description)
    }
  }

  /// Reads the journal on a thread of its own.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Journal) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let journal = Journal(self)
    let result: Result<Value, EventLogError> = await withCheckedContinuation { continuation in
      SerialWorker(label: "eventlog.reading").run {
        continuation.resume(
          returning: Result { () throws(EventLogError) in try body(journal) })
      }
    }
    return try result.get()
  }
}

extension Journal {
  /// The journal of a store, read by itself.
  package init(_ store: EventStore) {
    self.init(
      path: store.path, catalog: store.catalog, fileSystem: store.options.fileSystem,
      user: store.options.user)
  }
}
