public import EventLog

/// What has a state that can be compared: a snapshot, a store, a device, a journal.
public protocol StateSource {
  /// The state to compare.
  ///
  /// - Throws: what reading it throws.
  func currentState() throws(EventLogError) -> Snapshot
}

extension Snapshot: StateSource {
  /// Returns the snapshot itself.
  public func currentState() -> Snapshot { self }
}

extension EventStore: StateSource {
  /// Returns the state after the store's last append, or after what it has read since.
  public func currentState() -> Snapshot { snapshot }
}

extension TemporaryStore: StateSource {
  /// Returns the state of the device's store.
  public func currentState() -> Snapshot { store.snapshot }
}

extension Journal: StateSource {
  /// Reads the journal.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  public func currentState() throws(EventLogError) -> Snapshot { try snapshot().snapshot }
}

extension RecordedJournal: StateSource {
  /// Returns the state after the recorded journal's last event.
  public func currentState() -> Snapshot { snapshot }
}
