extension Journal {
  /// Passes the events of some ranges to a visitor, in an order that respects causality.
  ///
  /// Each event follows those events in the ranges that it has seen.
  ///
  /// - Throws: `noJournal`, `notAJournal`; `inputOutput`, also if the journal doesn't contain all
  ///   events in the ranges.
  /// - Complexity: O(*n*), where *n* is the number of events in the ranges, read in blocks of 64
  ///   KiB. The lines after the checkpoint are read as well, or the whole file if no checkpoint
  ///   fits.
  package func visit<Visitor: LineVisitor>(
    _ ranges: [EventRange], by visitor: inout Visitor
  ) throws(EventLogError) {
    if ranges.isEmpty { return }
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (pass, end) = try read(file, from: beginLedger(file))
    visitor.begin(KnownEvents(pass.ledger))
    var reader = RangeReader(
      ranges, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
      size: end.lacksLineFeed ? end.size : pass.endOffset)
    var scanner = LineScanner()
    while !visitor.isDone, let batch = try reader.next() {
      var sink = VisitedLines(visitor: visitor)
      scanner.scanLines(batch.bytes, into: &sink)
      visitor = sink.visitor
    }
  }
}
