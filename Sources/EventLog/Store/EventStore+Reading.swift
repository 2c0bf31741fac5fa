extension EventStore {
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

extension EventStore {
  /// The journal's side folder.
  var side: SideFolder { SideFolder(beside: path, fileSystem: options.fileSystem) }

  /// Reads or writes the journal's side folder, on the thread that works for the store.
  package func performAtSide<Value: Sendable>(
    _ body: @escaping @Sendable (SideFolder) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let side = side
    return try await worker.performQuietly { (_) throws(EventLogError) in try body(side) }
  }
}
