/// A question about a history: which event has that sequence, in what surely is the history of
/// `tip`?
package struct HistoryQuery: Sendable, Hashable {
  /// The sequence of the event that is asked for.
  package var sequence: Int64
  /// The last event of the history.
  package var tip: FullEventID

  /// A question about one event of a history.
  ///
  /// - Precondition: `1 <= sequence <= tip.sequence`.
  package init(sequence: Int64, in tip: FullEventID) {
    self.sequence = sequence
    self.tip = tip
  }

  /// Whether an event is held at all.
  package init(holds event: FullEventID) { self.init(sequence: event.sequence, in: event) }
}

/// What one side of a replication holds, for the other side to ask.
package protocol HistoryLookup: Sendable {
  /// The chain of each event that is asked for; nil where the event is not held, or what lies
  /// between it and the tip is not.
  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?]
}

extension HistoryLookup {
  /// Which of some events are held.
  package func held(_ events: [FullEventID]) async throws(EventLogError) -> Set<FullEventID> {
    if events.isEmpty { return [] }
    let chains = try await chains(events.map { HistoryQuery(holds: $0) })
    return Set(zip(events, chains).filter { $0.chain == $1 }.map(\.0))
  }

  func holds(_ event: FullEventID) async throws(EventLogError) -> Bool {
    try await !held([event]).isEmpty
  }
}

extension Ledger: HistoryLookup {
  package func chains(_ queries: [HistoryQuery]) -> [UInt32?] {
    queries.map { query in
      guard let tip = locate(query.tip), let point = event(at: query.sequence, inRunUpTo: tip)
      else { return nil }
      return branches[Int(point.branch)].chain(at: point.sequence)
    }
  }
}
