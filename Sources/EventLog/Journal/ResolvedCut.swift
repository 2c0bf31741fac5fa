/// A cut whose clocks are known.
package struct ResolvedCut: Sendable {
  /// Milliseconds since 1970.
  var time: Int64?
  /// What the events of the cut had seen, and they themselves; nil: all.
  var clock: CutClock?
  /// The events of batches that `clock` contains only in part: none of them was ever seen alone.
  /// A time splits a batch: an import has the times of its source.
  var batchRest: Set<FullEventID> = []

  /// Whether it holds an event; `at` is nil for a line of a later version.
  func contains(_ event: Ledger.Point, at: Int64?, of ledger: Ledger) -> Bool {
    let isInTime = time.map { time in at.map { $0 <= time } ?? false } ?? true
    guard isInTime, let clock else { return isInTime }
    return clock.contains(event, of: ledger)
      || !batchRest.isEmpty && batchRest.contains(ledger.fullID(event))
  }
}
