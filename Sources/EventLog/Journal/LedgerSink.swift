/// Ignores events, for a reading that only needs the ledger.
package struct LedgerSink: EventSink {
  package init() {}

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  @inline(__always)
  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {}
}
