/// Finds where the doubtful end of a journal begins.
///
/// Doubtful is a run of failing lines that reaches the end, and a stretch from a failing line on
/// that holds no good line but own events behind the last one known to be synced: none of that was
/// ever acknowledged, or nobody can tell. Where that event itself does not stand before the
/// stretch, it may be what fails: then a line that has its LF is damage, and stays where it is.
struct TailProbe: LineSink {
  /// What is known to be synced of our own; nil if that does not stand before the stretch.
  private let record: DeviceRecord?
  /// Whether something is known to be synced that does not stand before the stretch.
  private let isOwnLost: Bool
  /// The first failing line of the stretch that is open.
  private(set) var start: LinePosition?
  /// Why it fails.
  private(set) var reason: LineFault?
  /// Whether any good line was seen.
  private(set) var holdsEvents = false

  /// - Parameters:
  ///   - record: what `device.json` says, where it was made for this file.
  ///   - hasRead: whether the event that it names was read before the stretch; nil for no record.
  ///   - isJournal: whether any good line stands before the stretch.
  init(record: DeviceRecord?, hasRead: Bool?, isJournal: Bool) {
    self.record = hasRead == true ? record : nil
    isOwnLost = hasRead == false && isJournal
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    holdsEvents = true
    if let record, layout.sequence > record.sequence,
      canonical.text(layout.device).utf8.elementsEqual(record.device.text.utf8)
    {
      return
    }
    start = nil
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    guard start == nil, !isOwnLost || !position.isTerminated else { return }
    start = position
    reason = fault
  }
}
