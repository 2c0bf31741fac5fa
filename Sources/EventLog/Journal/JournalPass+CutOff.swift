extension JournalPass {
  /// ``report``, with the events that `device.json` names and that are missing from the file
  /// without a trace, because it was rolled back or its end was cut off.
  ///
  /// If a line is damaged or depends on missing events, it reports them itself.
  ///
  /// - Parameter record: The record that matches the file, or nil.
  func report(_ record: DeviceRecord?, _ end: JournalReading.End) -> JournalFindings {
    var report = report
    let lost = record?.written.filter { ledger.locate($0) == nil } ?? []
    // A damaged line may have contained one of them.
    let hasDamagedLine = report.problems.contains {
      if case .line = $0.code { true } else { false }
    }
    if lost.isEmpty || hasDamagedLine || end.doubtfulTail != nil { return report }
    let losses = AcknowledgedLosses(ledger)
    for event in lost where !losses.contains(event) {
      let isListed = report.missing.contains { range in
        range.device == event.device && (range.first...range.last).contains(event.sequence)
      }
      if isListed { continue }
      // Lines of a batch may be waiting for its end.
      let waiting = unfinished.filter { Int($0.key.device) == ledger.find(event.device) }
      let known = ledger.ends(of: event.device).map(\.sequence) + waiting.map(\.key.sequence)
      let range = EventRange(from: min((known.max() ?? 0) + 1, event.sequence), to: event)
      report.missing.append(range)
      report.problems.append(
        JournalProblem(
          code: .cutOff, line: nextLineNumber, byte: endOffset,
          message: "\(range) \(range.count == 1 ? "is" : "are") missing here: the file contained"
            + " \(range.count == 1 ? "it" : "them"), and was rolled back to an earlier state, or"
            + " its end was cut off.\(waiting.isEmpty ? " All other events count." : "")",
          device: event.device.text, sequence: range.first))
      report.problemCount += 1
    }
    report.missing.sort()
    return report
  }
}
