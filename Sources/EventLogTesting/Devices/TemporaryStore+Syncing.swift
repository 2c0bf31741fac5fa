public import EventLog

extension TemporaryStore {
  /// Lets two devices meet: each takes the events of the other that it does not hold.
  ///
  /// Lines are copied as they stand, in the order of the other's journal, and checked completely by
  /// the one that takes them. Meeting again changes nothing. Devices of different users refuse each
  /// other's events.
  ///
  /// - Throws: `inputOutput`, `locked`, `syncFailed`.
  /// - Complexity: O(size of both journals).
  @discardableResult
  public func sync(with other: TemporaryStore) async throws(EventLogError) -> SyncReport {
    // Nothing is shipped before it is synced.
    try await catchUp()
    try await other.catchUp()
    let before = store.snapshot
    let incoming = try await take(other.lines(beyond: before.frontier))
    let outgoing = try await other.take(lines(beyond: other.store.snapshot.frontier))
    return SyncReport(
      received: incoming.received, sent: outgoing.received,
      refused: incoming.refused.map { .init($0, isIncoming: true) }
        + outgoing.refused.map { .init($0, isIncoming: false) },
      newConflicts: store.snapshot.conflicts(since: before))
  }

  /// Makes the journal durable, and the snapshot as new as the journal.
  private func catchUp() async throws(EventLogError) {
    try await store.sync()
    do throws(EventLogError) {
      try await store.refresh()
    } catch {
      // A device that has written nothing has no journal yet.
      guard error.code == .noJournal, store.snapshot.eventCount == 0 else { throw error }
    }
  }

  /// The lines of the events that this device holds in full and `clock` does not.
  private func lines(beyond clock: VectorClock) throws(EventLogError) -> [[UInt8]] {
    let frontier = store.snapshot.frontier
    var lines: [[UInt8]] = []
    try replay { event, line in
      if frontier.contains(event.id), !clock.contains(event.id) { lines.append(line) }
    }
    return lines
  }

  private func take(_ lines: [[UInt8]]) async throws(EventLogError) -> Reception {
    lines.isEmpty ? Reception() : try await store.receive(lines)
  }
}

extension SyncReport.Refusal {
  fileprivate init(_ refusal: Reception.Refusal, isIncoming: Bool) {
    self.init(event: refusal.event, code: refusal.code, isIncoming: isIncoming)
  }
}
