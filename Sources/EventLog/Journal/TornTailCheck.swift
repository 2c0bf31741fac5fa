/// Finds the beginning of a journal's doubtful end.
///
/// The end is doubtful from a failing line on if it contains only failing lines and own events
/// after the last synced one: they were never acknowledged, or that is unknown. If the last synced
/// event isn't before this range, its line may be the failing one. In that case, a failing line
/// with its LF is damage and stays in place.
struct TornTailCheck: LineSink {
  /// The record of the last synced event, or nil if that isn't before the range.
  private let record: DeviceRecord?
  /// Whether an event was synced that isn't before the range.
  private let isOwnLost: Bool
  /// The first failing line of the current range.
  private(set) var start: LinePosition?
  /// The fault of that line.
  private(set) var reason: LineFault?
  /// Whether a valid line was read.
  private(set) var holdsEvents = false

  /// - Parameters:
  ///   - record: The content of `device.json`, if it was made for this file.
  ///   - hasRead: Whether the event of the record was read before the range, or nil without a
  ///     record.
  ///   - isJournal: Whether there is a valid line before the range.
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
