/// A journal's state, and the open file that it was read from.
package final class StateReading {
  package let fold: Fold
  package let ledger: Ledger
  package let findings: JournalFindings
  package let warnings: [JournalProblem]
  package let journal: Journal
  package let file: JournalFile
  private let cut: ResolvedCut
  private let rereading: JournalRereading
  /// The end of the lines that were read.
  package let size: Int64

  fileprivate init(
    _ journal: Journal, _ file: JournalFile, _ cut: ResolvedCut
  ) throws(EventLogError) {
    let (pass, end) = try journal.read(file, into: CutSink(Fold(journal.catalog), cut))
    (fold, ledger, findings) = (pass.sink.inner, pass.ledger, pass.report)
    warnings = journal.tailProblems(end)
    (self.journal, self.file, self.cut) = (journal, file, cut)
    size = end.lacksLineFeed ? end.size : pass.endOffset
    rereading = JournalRereading(
      JournalReading(path: journal.path, fileSystem: journal.fileSystem, file: file.descriptor),
      upTo: size, after: pass)
  }

  /// Passes the same events to another sink.
  package func reread<Sink: EventSink>(into sink: inout Sink) throws(EventLogError) {
    var erased = CutSink(AnyEventSink(sink: sink), cut)
    try rereading.read(into: &erased)
    sink = erased.inner.sink as! Sink
  }

  /// The event with an ID.
  ///
  /// - Throws: `noEvent`, `noDevice`.
  package func point(of event: EventID) throws(EventLogError) -> Ledger.Point {
    try journal.point(of: event, ledger)
  }
}

extension Journal {
  /// Reads the state of a part of the journal and passes it on while the file is open.
  ///
  /// - Throws: The errors of ``snapshot(at:includingDeleted:)`` and of `body`.
  package func readState<Result>(
    at cut: Cut? = nil, _ body: (StateReading) throws(EventLogError) -> Result
  ) throws(EventLogError) -> Result {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let limits =
      try cut.map { (cut) throws(EventLogError) in try resolve(cut, file).cut } ?? ResolvedCut()
    return try body(StateReading(self, file, limits))
  }

  /// Passes all events to a sink.
  ///
  /// - Parameter earlier: The ledger of an earlier reading, whose users this one begins with.
  /// - Returns: The devices, users and clocks of the journal.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  package func read<Sink: EventSink>(
    into sink: inout Sink, like earlier: Ledger? = nil
  ) throws(EventLogError) -> Ledger {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let blank = AnyEventSink(sink: sink)
    let start =
      earlier.map { JournalPass(sink: blank, after: $0.begun) } ?? JournalPass(sink: blank)
    let pass = try read(file, from: start).0
    sink = pass.sink.sink as! Sink
    return pass.ledger
  }
}

/// Passes events to a sink of any type, so that one compiled reading serves all of them.
private struct AnyEventSink: EventSink {
  private(set) var sink: any EventSink

  var isFull: Bool { sink.isFull }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    sink.wantsData(layout, canonical: canonical)
  }

  mutating func restart(_ blank: AnyEventSink) {
    func restart<Sink: EventSink>(_ sink: inout Sink) {
      if let blank = blank.sink as? Sink { sink.restart(blank) }
    }
    restart(&sink)
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    sink.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }
}
