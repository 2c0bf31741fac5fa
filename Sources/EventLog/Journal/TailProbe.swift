/// Finds where the doubtful end of a journal begins.
///
/// Doubtful is a run of failing lines that reaches the end, and a stretch from a failing line on
/// that holds no good line but own events behind the last one known to be synced: none of that was
/// ever acknowledged, or nobody can tell. Where that event itself does not stand before the
/// stretch, it may be what fails, and the stretch is damage.
struct TailProbe: LineSink {
  /// The last event of our own that was synced, sequence 0 before the first; nil if it does not
  /// stand before the stretch.
  let synced: EventID?
  /// The first failing line of the stretch that is open.
  private(set) var start: LinePosition?
  /// Why it fails.
  private(set) var reason: LineFault?
  /// Whether any good line was seen.
  private(set) var holdsEvents = false

  init(synced: EventID?) { self.synced = synced }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    holdsEvents = true
    if let synced, layout.sequence > synced.sequence,
      String(decoding: canonical.copy(layout.device), as: UTF8.self) == synced.device.text
    {
      return
    }
    start = nil
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    guard start == nil else { return }
    start = position
    reason = fault
  }
}
