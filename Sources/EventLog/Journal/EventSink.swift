/// Takes the events of a journal, each behind all that it has seen.
package protocol EventSink {
  /// One event. `ledger` holds its branch's clock, moved to this very event.
  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger)
  /// Whether an event that is read again needs its `data`, given its envelope.
  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool
  /// Forgets what it took: the reading begins anew. `blank` has taken nothing.
  mutating func restart(_ blank: Self)
  /// Stops a debug build where what must hold does not.
  func checkInvariants(_ ledger: Ledger)
  /// Whether it takes no more for now: the reading pauses behind the event it took last.
  var isFull: Bool { get }
  /// Whether that can ever be: lines are then not scanned ahead.
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
