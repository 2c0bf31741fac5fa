extension Journal {
  /// Passes the events of some ranges to a closure, in an order that respects causality.
  ///
  /// Each event follows those events in the ranges that it has seen.
  ///
  /// - Parameters:
  ///   - ranges: Ranges of events that the journal contains.
  ///   - body: A closure that receives an event and the bytes of its line without the line feed. It
  ///     returns `false` to stop.
  /// - Throws: `noJournal`, `notAJournal`; `inputOutput`, also if the journal doesn't contain all
  ///   events in the ranges.
  /// - Complexity: O(*n*), where *n* is the number of events in the ranges, read in blocks of 64
  ///   KiB. The lines after the checkpoint are read as well, or the whole file if no checkpoint
  ///   fits.
  public func replay(
    _ ranges: [EventRange], _ body: (Event, [UInt8]) -> Bool
  ) throws(EventLogError) {
    try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
      var visitor = EventVisitor(body)
      try replay(ranges, into: &visitor)
    }
  }

  /// Passes the events of some ranges to a visitor, as ``replay(_:_:)`` does to a closure.
  package func replay<Visitor: LineVisitor>(
    _ ranges: [EventRange], into visitor: inout Visitor
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
