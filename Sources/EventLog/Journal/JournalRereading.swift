/// Reads again what was read before: the same lines, whatever was appended since.
package struct JournalRereading {
  /// Nil where there is no file.
  private let reading: JournalReading?
  private let endOffset: Int64
  private let isTrusting: Bool
  /// Lines that are to be read behind them, though they do not stand there.
  package var further: [UInt8] = []
  /// The same, from another file.
  package var furtherRanges: RangeReader?

  /// What `first`, the reading before, refused is refused again: only a journal without damage is
  /// read without a check of its bytes. And only in canonical spelling does nothing stand behind
  /// `data`, so that it may be passed over. What a checkpoint spared was not checked at all.
  package init<Sink: EventSink>(
    _ reading: JournalReading, upTo endOffset: Int64, after first: JournalPass<Sink>
  ) {
    self.reading = reading
    self.endOffset = endOffset
    isTrusting =
      !first.isResumed && first.problems.damageCount == 0 && first.slowLineCount == 0
  }

  /// Of a journal that is not there yet.
  package init(further: [UInt8] = []) {
    reading = nil
    endOffset = 0
    isTrusting = false
    self.further = further
  }

  /// - Parameter beginning: up to where the lines need not be read, and what is known of them.
  /// - Throws: `inputOutput` where the file cannot be read any more.
  package func read<Sink: EventSink>(
    into sink: inout Sink, behind beginning: (ledger: Ledger, offset: Int64)? = nil
  ) throws(EventLogError) {
    let isTrusting = isTrusting && beginning == nil
    var pass = JournalPass(sink: sink, trusting: isTrusting)
    if let beginning { pass.ledger = beginning.ledger }
    if let reading {
      do throws(Errno) {
        _ = try ReadAhead(of: reading.file, in: reading.fileSystem, trusting: isTrusting)
          .readLines(from: beginning?.offset ?? 0, upTo: endOffset, into: &pass)
      } catch {
        throw .inputOutput("read", reading.path, error, meaning: "Nothing was changed.")
      }
    }
    var scanner = LineScanner()
    scanner.scanLines(further, into: &pass)
    if var ranges = furtherRanges {
      while let batch = try ranges.next() { scanner.scanLines(batch.bytes, into: &pass) }
    }
    sink = pass.sink
  }
}
