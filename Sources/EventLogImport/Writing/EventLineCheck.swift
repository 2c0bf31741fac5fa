import EventLog

/// Checks that written lines are events.
///
/// A sync refuses single lines, after it has written those before them, so an import checks all
/// lines before the sync begins.
struct EventLineCheck {
  private var scanner = LineScanner()

  private struct FaultSink: LineSink {
    var found: LineFault?

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {}

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
      found = fault
    }
  }

  /// Returns the reason why a line, with its LF, isn't an event, or nil if it's one.
  mutating func fault(in line: [UInt8]) -> LineFault? {
    var sink = FaultSink()
    scanner.scan(line, at: 0, number: 1, into: &sink)
    return sink.found
  }
}
