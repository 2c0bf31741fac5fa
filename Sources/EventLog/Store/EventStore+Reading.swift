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

  /// Reads the journal on a separate thread.
  package func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Journal) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    @Sendable func check(_ core: StoreCore) throws(EventLogError) {
      try core.writer.reader.checkIsThere()
    }
    try await worker.performQuietly(check)
    let journal = Journal(self)
    let result = await SerialWorker(label: "eventlog.reading").perform {
      Result { () throws(EventLogError) in try body(journal) }
    }
    // The path may have led to another file meanwhile.
    try await worker.performQuietly(check)
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
