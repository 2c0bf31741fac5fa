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
    if ranges.isEmpty { return }
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (pass, end) = try read(file, from: beginLedger(file))
    var reader = RangeReader(
      ranges, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
      size: end.lacksLineFeed ? end.size : pass.endOffset)
    var scanner = LineScanner()
    while let batch = try reader.next() {
      let isDone = try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
        var sink = EventLines(body: body)
        scanner.scanLines(batch.bytes, into: &sink)
        return sink.isDone
      }
      if isDone { return }
    }
  }
}

/// Passes the events of lines to a caller.
private struct EventLines: LineSink {
  let body: (Event, [UInt8]) -> Bool
  var isDone = false

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if isDone { return }
    isDone = !body(Event(layout, canonical: canonical), line.copy())
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
