/// A query for the event with a given sequence in the known history of `tip`.
package struct HistoryQuery: Sendable, Hashable {
  /// The sequence of the wanted event.
  package var sequence: Int64
  /// The last event of the history.
  package var tip: FullEventID

  /// Creates a query for an event of a history.
  ///
  /// - Precondition: `1 <= sequence <= tip.sequence`.
  package init(sequence: Int64, in tip: FullEventID) {
    self.sequence = sequence
    self.tip = tip
  }

  /// Creates a query that checks whether an event is held.
  package init(holds event: FullEventID) { self.init(sequence: event.sequence, in: event) }
}
