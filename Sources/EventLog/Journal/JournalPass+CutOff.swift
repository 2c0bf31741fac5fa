extension JournalPass {
  /// Adds the events that `device.json` lists as synced and that the file lacks without a trace,
  /// because it was rolled back, or its end was cut off or damaged.
  ///
  /// A gap or a damaged line that shows such an event reports it itself.
  func addCutOffs(to report: inout JournalFindings) {
    let gone = written.filter { ledger.locate($0) == nil }
    if gone.isEmpty { return }
    let losses = AcknowledgedLosses(ledger)
    let damaged = damagedLines(in: report)
    func isShown(_ event: FullEventID) -> Bool {
      damaged.contains { $0.chains.contains(event.chain) || $0.id == event.shortID }
        || report.missing.contains { range in
          range.device == event.device && (range.first...range.last).contains(event.sequence)
        }
    }
    for event in gone where !losses.contains(event) && !isShown(event) {
      // Lines of a batch may be waiting for its end.
      let begun = unfinished.filter { Int($0.key.device) == ledger.find(event.device) }
      let known = ledger.ends(of: event.device).map(\.sequence) + begun.map(\.key.sequence)
      let range = EventRange(from: min((known.max() ?? 0) + 1, event.sequence), to: event)
      report.missing.append(range)
      report.problems.append(
        JournalProblem(
          code: .cutOff, line: nextLineNumber, byte: endOffset,
          message: "\(range) \(range.count == 1 ? "is" : "are") missing here: the file contained"
            + " \(range.count == 1 ? "it" : "them"), and was rolled back to an earlier state, or"
            + " its end was cut off or damaged.\(begun.isEmpty ? " All other events count." : "")",
          device: event.device.text, sequence: range.first))
      report.problemCount += 1
    }
  }

  /// The damaged lines that are problems.
  func damagedLines(in report: JournalFindings) -> [FailingLine] {
    let lines = report.problems.filter { if case .line = $0.code { true } else { false } }
    let numbers = Set(lines.map(\.line))
    return findings.failing.filter { numbers.contains($0.line) }
  }

  /// The damage whose loss can be acknowledged.
  package func damage(in report: JournalFindings) -> Set<FindingLog.AcceptedDamage> {
    Set(damagedLines(in: report).map { .init(offset: $0.offset, content: $0.content) })
  }
}
