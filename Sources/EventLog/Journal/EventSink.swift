/// Takes the events of a journal in the order of the file.
package protocol EventSink {
  /// One event. `ledger` holds its device's clock, moved to this very event.
  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger)
  /// One event for which another one counts that was handed over before: both are one event, issued
  /// again twice.
  mutating func applyRepeated(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger)
  /// Whether an event that is read again needs its `data`, given its envelope.
  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool
  /// Whether it takes no more for now: the reading pauses behind the event it took last.
  var isFull: Bool { get }
  /// Whether that can ever be: lines are then not scanned ahead.
  static var canBeFull: Bool { get }
}

extension EventSink {
  package mutating func applyRepeated(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {}

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

  @inline(__always)
  package var isFull: Bool { false }
  @inline(__always)
  package static var canBeFull: Bool { false }
}
