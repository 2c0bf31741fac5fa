/// A cut that is resolved to clocks.
package struct ResolvedCut: Sendable {
  /// Milliseconds since 1970.
  var time: Int64?
  /// The events of the cut and those that they had seen, or nil for all.
  var clock: CutClock?
  /// The writer of the events, or nil for any.
  var writer: DeviceID?
  /// The events of batches that `clock` contains only in part.
  ///
  /// No event has seen only a part of a batch, but a time may split one, since an import has the
  /// times of its source.
  var batchRest: Set<FullEventID> = []

  /// Whether the cut contains an event.
  ///
  /// `at` is nil for a line of a later version.
  func contains(_ event: Ledger.Point, at: Int64?, of ledger: Ledger) -> Bool {
    if let writer, ledger.device(of: Int(event.branch)) != writer { return false }
    let isInTime = time.map { time in at.map { $0 <= time } ?? false } ?? true
    guard isInTime, let clock else { return isInTime }
    return clock.contains(event, of: ledger)
      || !batchRest.isEmpty && batchRest.contains(ledger.fullID(event))
  }
}
