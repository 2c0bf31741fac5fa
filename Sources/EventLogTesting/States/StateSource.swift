public import EventLog

/// A source of a state that you can compare: a snapshot, a store, a device, or a journal.
public protocol StateSource {
  /// Returns the state to compare.
  ///
  /// - Throws: An error that occurs while the state is read.
  func currentState() throws(EventLogError) -> Snapshot
}

extension Snapshot: StateSource {
  /// Returns the snapshot itself.
  public func currentState() -> Snapshot { self }
}

extension EventStore: StateSource {
  /// Returns the store's current snapshot.
  public func currentState() -> Snapshot { snapshot }
}

extension TemporaryStore: StateSource {
  /// Returns the current snapshot of the device's store.
  public func currentState() -> Snapshot { store.snapshot }
}

extension Journal: StateSource {
  /// Reads the journal and returns its state.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  public func currentState() throws(EventLogError) -> Snapshot { try snapshot().snapshot }
}

extension RecordedJournal: StateSource {
  /// Returns the state after the journal's last event.
  public func currentState() -> Snapshot { snapshot }
}
