/// Answers queries about the histories of one side.
package protocol HistoryLookup: Sendable {
  /// Returns the chain of each event, or nil if it or an event between it and the tip isn't held.
  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?]
}

extension HistoryLookup {
  /// Returns the events in `events` that are held.
  package func held(_ events: [FullEventID]) async throws(EventLogError) -> Set<FullEventID> {
    if events.isEmpty { return [] }
    let chains = try await chains(events.map { HistoryQuery(holds: $0) })
    return Set(zip(events, chains).filter { $0.chain == $1 }.map(\.0))
  }

  package func holds(_ event: FullEventID) async throws(EventLogError) -> Bool {
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
