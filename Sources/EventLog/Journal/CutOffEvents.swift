/// Events that a journal's file contained, as `device.json` tells, and that are gone without a
/// trace: the file was rolled back to an earlier state, or its end was cut off.
///
/// A line that is damaged, or one that depends on them, tells of missing events by itself.
struct CutOffEvents {
  let range: EventRange
  let problem: JournalProblem

  /// - Parameters:
  ///   - record: what fits the file; nil where nothing does.
  ///   - report: what the pass has found.
  init?<Sink: EventSink>(
    _ record: DeviceRecord?, _ pass: JournalPass<Sink>, _ end: JournalReading.End,
    _ report: JournalFindings
  ) {
    let ledger = pass.ledger
    guard let record, let event = record.event, ledger.locate(event) == nil,
      report.firstDamage == nil, end.doubtfulTail == nil,
      !AcknowledgedLosses(ledger).contains(event)
    else { return nil }
    let last = ledger.ends(of: record.device).map(\.sequence).max() ?? 0
    range = EventRange(from: min(last + 1, event.sequence), to: event)
    problem = JournalProblem(
      code: .cutOff, line: pass.nextLineNumber, byte: pass.endOffset,
      message: "\(range) \(range.count == 1 ? "is" : "are") missing here: the file contained"
        + " \(range.count == 1 ? "it" : "them"), and was rolled back to an earlier state, or its"
        + " end was cut off. All other events count.",
      device: record.device.text, sequence: range.first)
  }
}
