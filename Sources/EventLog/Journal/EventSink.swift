/// Receives the events of a journal, each after all events that it has seen.
package protocol EventSink {
  /// Applies one event.
  ///
  /// `ledger` holds the clock of its branch, advanced to this event.
  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger)
  /// Whether an event that is reread needs its `data`, given its envelope.
  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool
  /// Discards all events, because the reading starts again.
  ///
  /// `blank` has received no events.
  mutating func restart(_ blank: Self)
  /// Stops a debug build if an invariant is violated.
  func checkInvariants(_ ledger: Ledger)
  /// Whether the sink accepts no more events for now, so that the reading pauses after the last
  /// one.
  var isFull: Bool { get }
  /// Whether ``isFull`` can ever be true.
  ///
  /// If so, lines are not scanned ahead.
  static var canBeFull: Bool { get }
}

extension EventSink {
  package mutating func restart(_ blank: Self) { self = blank }

  package func checkInvariants(_ ledger: Ledger) {}

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

  @inline(__always)
  package var isFull: Bool { false }
  @inline(__always)
  package static var canBeFull: Bool { false }
}
