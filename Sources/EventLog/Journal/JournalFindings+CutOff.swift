extension JournalPass {
  /// ``report``, with the events that the file contained, as `device.json` tells, and that are gone
  /// without a trace: it was rolled back to an earlier state, or its end was cut off.
  ///
  /// A line that is damaged, or one that depends on them, tells of missing events by itself.
  ///
  /// - Parameter record: what fits the file; nil where nothing does.
  func report(_ record: DeviceRecord?, _ end: JournalReading.End) -> JournalFindings {
    var report = report
    guard let event = record?.event, ledger.locate(event) == nil, report.firstDamage == nil,
      end.doubtfulTail == nil, !AcknowledgedLosses(ledger).contains(event)
    else { return report }
    let last = ledger.ends(of: event.device).map(\.sequence).max() ?? 0
    let range = EventRange(from: min(last + 1, event.sequence), to: event)
    report.missing.append(range)
    report.problems.append(
      JournalProblem(
        code: .cutOff, line: nextLineNumber, byte: endOffset,
        message: "\(range) \(range.count == 1 ? "is" : "are") missing here: the file contained"
          + " \(range.count == 1 ? "it" : "them"), and was rolled back to an earlier state, or its"
          + " end was cut off. All other events count.",
        device: event.device.text, sequence: range.first))
    report.problemCount += 1
    return report
  }
}
