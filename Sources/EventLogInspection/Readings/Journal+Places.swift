public import EventLog
public import EventLogRemotes

extension Journal {
  /// Returns which remotes have an event, or all events of an entity, as far as this device knows.
  ///
  /// Like `JournalStatus.places`, this lists the remembered remotes and those of an app's
  /// replicators, and contacts none of them. `synced` means that the remote held every event of the
  /// entity when the last sync with it ended, and that none was added after it. `pending` counts
  /// the entity's events that the remote isn't known to hold. `waiting` means that no sync with the
  /// remote was recorded on this device. There are no other phases: `JournalStatus.places` reports
  /// whether a remote can be reached.
  ///
  /// - Parameter name: An event ID, or an entity as ``Journal/why(_:_:at:)`` takes it, without a
  ///   day.
  /// - Returns: The status of each remote.
  /// - Throws: `noEvent`, `noDevice`, `noEntity`; the errors of `status()`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func places(of name: String) throws(EventLogError) -> [Replicator.Status] {
    try coverage(of: name).remotes.map(\.status)
  }

  /// Returns which remotes are known to hold an event, or all events of an entity, by its name.
  ///
  /// - Parameter text: An event ID, or an entity as ``Journal/why(_:_:at:)`` takes it, without a
  ///   day.
  /// - Throws: `noEvent`, `noDevice`, `noEntity`; the errors of `status()`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package func coverage(of text: String) throws(EventLogError) -> ReplicationCoverage {
    try coverage { (state) throws(EventLogError) in
      if let event = EventID(text) {
        return .event(state.ledger.fullID(try state.point(of: event)))
      }
      let row = try RowSearch(state, path: path).row(named: text)
      let entity = Int(state.fold.rows[Int(row)].entity)
      return entity < 0 ? .singleton(text) : .entity(entity, state.fold.entityNames.text(entity))
    }
  }
}
