/// Reads the lines of an earlier reading again, without later ones.
package struct JournalRereading {
  /// Nil if there is no file.
  private let reading: JournalReading?
  private let endOffset: Int64
  /// Whether checksums aren't verified again.
  let isTrusting: Bool
  private let begun: (users: JournalUsers, erasures: Erasures)
  /// The clocks of the lines if they were admitted in file order.
  ///
  /// With many devices, they need more memory than everything else, so they aren't computed again.
  private let told: ToldHistory?
  /// Lines to read after those of the file, as if they had been appended.
  package var further: [UInt8] = []

  /// Creates a rereading of the lines before `endOffset`, as read by `first`.
  ///
  /// Checksums aren't verified again if `first` has read all lines without a checkpoint, none
  /// failed, and all are in canonical spelling, in which only the checksum follows `data`, so that
  /// `data` can be skipped. Otherwise, a refused line could be accepted now.
  package init<Sink: EventSink>(
    _ reading: JournalReading, upTo endOffset: Int64, after first: JournalPass<Sink>
  ) {
    self.reading = reading
    self.endOffset = endOffset
    begun = first.ledger.begun
    isTrusting =
      !first.isResumed && first.findings.isEmpty && first.slowLineCount == 0
      && first.unerased.isEmpty
    told = first.isInFileOrder ? ToldHistory(first.ledger) : nil
  }

  /// Creates a rereading of a journal that doesn't exist yet.
  package init(further: [UInt8] = []) {
    reading = nil
    endOffset = 0
    isTrusting = false
    begun = (JournalUsers(), Erasures())
    told = nil
    self.further = further
  }

  /// Reads all lines into `sink`.
  ///
  /// - Returns: The ledger of this reading. Its branch numbers may differ from those of the first
  ///   reading.
  /// - Throws: `inputOutput` if the file can't be read.
  @discardableResult
  package func read<Sink: EventSink>(
    into sink: inout Sink
  ) throws(EventLogError) -> Ledger {
    let start = JournalPass(sink: sink, after: begun)
    var pass = start
    if further.isEmpty { told?.tell(&pass.ledger) }
    try read(into: &pass)
    if pass.ledger.isHistoryTold, !pass.isStopped,
      pass.ledger.mustReread || told?.holds(pass.ledger) != true
    {
      // The file has changed, or its lines were admitted in another order than that of the file.
      pass = start
      try read(into: &pass)
    }
    sink = pass.sink
    return pass.ledger
  }

  /// Reads all lines into a pass that replaces `other`, a pass over the same lines.
  func pass<Sink: EventSink, Other: EventSink>(
    _ sink: Sink, like other: JournalPass<Other>
  ) throws(EventLogError) -> JournalPass<Sink> {
    var pass = JournalPass(sink: sink, after: begun)
    try read(into: &pass)
    pass.restartCount = other.restartCount + 1
    pass.written = other.written
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
    var scanner = LineScanner()
    // Number the extra lines from the end of the file, so that each has a unique offset.
    var shifted = ShiftedLines(pass: pass, offset: endOffset)
    scanner.scanLines(further, into: &shifted)
    pass = shifted.pass
    var fetcher = reading.map { LineFetcher(of: $0.file, in: $0.fileSystem) }
    do throws(Errno) {
      try pass.settle { (position) throws(Errno) in
        if position.offset < endOffset { return try fetcher?.bytes(at: position) ?? [0x0A] }
        let start = Int(position.offset - endOffset)
        return Array(further[start..<start + position.byteCount]) + [0x0A]
      }
    } catch {
      throw .inputOutput("read", reading?.path ?? "", error, meaning: "Nothing was changed.")
    }
  }
}

/// The clocks of all lines, as computed by an earlier reading.
private struct ToldHistory {
  private let history: ClockHistory
  /// The chain of each branch's last event.
  private let ends: [UInt32]

  init(_ ledger: Ledger) {
    history = ledger.history
    ends = ledger.branches.map(\.lastChain)
  }

  /// Sets the clocks of a ledger that has read none of the lines.
  func tell(_ ledger: inout Ledger) {
    ledger.history = history
    ledger.isHistoryTold = true
  }

  /// Whether a ledger has read the same lines.
  ///
  /// The chain of an event covers its device's whole history before it.
  func holds(_ ledger: Ledger) -> Bool { ledger.branches.map(\.lastChain) == ends }
}

extension JournalPass {
  /// Whether each line was admitted when it was read.
  fileprivate var isInFileOrder: Bool {
    findings.isEmpty && waiting.isEmpty && ledger.index.strays.isEmpty
  }
}

/// Passes on lines with their offsets shifted.
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
