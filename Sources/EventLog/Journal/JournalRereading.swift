/// Reads again what was read before: the same lines, whatever was appended since.
package struct JournalRereading {
  /// Nil where there is no file.
  private let reading: JournalReading?
  private let endOffset: Int64
  /// Whether the bytes are not checked again.
  let isTrusting: Bool
  private let users: JournalUsers
  /// The clocks of the lines, where they were admitted in the order in which they stand: that of
  /// many devices takes more room than all else, and is not made twice.
  private let told: ToldHistory?
  /// Lines that are to be read behind them, though they do not stand there.
  package var further: [UInt8] = []
  /// The same, from another file.
  @Boxed package var furtherRanges: RangeReader?

  /// What `first`, the reading before, refused is refused again: only a journal without damage is
  /// read without a check of its bytes. And only in canonical spelling does nothing stand behind
  /// `data`, so that it may be passed over. What a checkpoint spared was not checked at all.
  package init<Sink: EventSink>(
    _ reading: JournalReading, upTo endOffset: Int64, after first: JournalPass<Sink>
  ) {
    self.reading = reading
    self.endOffset = endOffset
    users = first.ledger.users.begun(first.ledger.names)
    isTrusting = !first.isResumed && first.findings.isEmpty && first.slowLineCount == 0
    told = first.isInFileOrder ? ToldHistory(first.ledger) : nil
  }

  /// Of a journal that is not there yet.
  package init(further: [UInt8] = []) {
    reading = nil
    endOffset = 0
    isTrusting = false
    users = JournalUsers()
    told = nil
    self.further = further
  }

  /// - Returns: the ledger of the reading: branches may have other numbers there than in the first
  ///   reading, events have the same IDs.
  /// - Throws: `inputOutput` where the file cannot be read any more.
  @discardableResult
  package func read<Sink: EventSink>(
    into sink: inout Sink
  ) throws(EventLogError) -> Ledger {
    let start = JournalPass(sink: sink, users: users)
    var pass = start
    if further.isEmpty, furtherRanges == nil { told?.tell(&pass.ledger) }
    try read(into: &pass)
    if pass.ledger.isHistoryTold, !pass.isStopped,
      pass.ledger.mustReread || told?.holds(pass.ledger) != true
    {
      // The file was changed meanwhile, or its lines were admitted in another order than they have
      // there.
      pass = start
      try read(into: &pass)
    }
    sink = pass.sink
    return pass.ledger
  }

  /// Reads all into a pass of its own.
  func pass<Sink: EventSink>(_ sink: Sink) throws(EventLogError) -> JournalPass<Sink> {
    var pass = JournalPass(sink: sink, users: users)
    try read(into: &pass)
    return pass
  }

  /// Reads all into a pass that takes the place of `other`, whose lines these are.
  func pass<Sink: EventSink>(
    _ sink: Sink, like other: JournalPass<Sink>
  ) throws(EventLogError) -> JournalPass<Sink> {
    var pass = try pass(sink)
    pass.restartCount = other.restartCount + 1
    (pass.endOffset, pass.nextLineNumber) = (other.endOffset, other.nextLineNumber)
    return pass
  }

  private func read<Sink: EventSink>(
    into pass: inout JournalPass<Sink>
  ) throws(EventLogError) {
    if let reading {
      do throws(Errno) {
        _ = try ReadAhead(of: reading.file, in: reading.fileSystem, trusting: isTrusting)
          .readLines(from: 0, upTo: endOffset, into: &pass)
      } catch {
        throw .inputOutput("read", reading.path, error, meaning: "Nothing was changed.")
      }
    }
    try readFurther(into: &pass)
  }

  private func readFurther<Sink: EventSink>(
    into pass: inout JournalPass<Sink>
  ) throws(EventLogError) {
    var bytes = further
    if var ranges = furtherRanges {
      while let batch = try ranges.next() { bytes += batch.bytes }
    }
    var scanner = LineScanner()
    // Behind the file, so that every line has a place of its own.
    var shifted = ShiftedLines(pass: pass, offset: endOffset)
    scanner.scanLines(bytes, into: &shifted)
    pass = shifted.pass
    var fetcher = reading.map { LineFetcher(of: $0.file, in: $0.fileSystem) }
    do throws(Errno) {
      try pass.settle { (position) throws(Errno) in
        if position.offset < endOffset { return try fetcher?.bytes(at: position) ?? [0x0A] }
        let start = Int(position.offset - endOffset)
        return Array(bytes[start..<start + position.byteCount]) + [0x0A]
      }
    } catch {
      throw .inputOutput("read", reading?.path ?? "", error, meaning: "Nothing was changed.")
    }
  }
}

/// What an earlier reading tells of the clocks of all lines.
private struct ToldHistory {
  private let history: ClockHistory
  /// The chain of each branch's last event.
  private let ends: [UInt32]

  init(_ ledger: Ledger) {
    history = ledger.history
    ends = ledger.branches.map(\.lastChain)
  }

  /// Tells a ledger that has read none of the lines.
  func tell(_ ledger: inout Ledger) {
    ledger.history = history
    ledger.isHistoryTold = true
  }

  /// Whether a ledger has read the same lines: a chain proves all before it.
  func holds(_ ledger: Ledger) -> Bool { ledger.branches.map(\.lastChain) == ends }
}

extension JournalPass {
  /// Whether each line was an event that was admitted when it was read.
  fileprivate var isInFileOrder: Bool {
    findings.isEmpty && waiting.isEmpty && ledger.index.strays.isEmpty
  }
}

/// Lines that are read as if they stood further behind.
private struct ShiftedLines<Sink: EventSink>: LineSink {
  var pass: JournalPass<Sink>
  let offset: Int64

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    pass.event(layout, canonical: canonical, line: line, at: shifted(position))
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    pass.fault(fault, line: line, at: shifted(position))
  }

  private func shifted(_ position: LinePosition) -> LinePosition {
    var position = position
    position.offset += offset
    position.endOffset += offset
    return position
  }
}
