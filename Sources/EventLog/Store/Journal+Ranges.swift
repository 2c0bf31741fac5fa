extension Journal {
  /// Reads the events of some ranges, each behind all that it has seen and that is among them.
  ///
  /// - Parameters:
  ///   - ranges: of events that are held.
  ///   - body: gets an event and its line, without the LF; returns whether to go on.
  /// - Throws: `noJournal`, `notAJournal`; `inputOutput`, also where the journal does not hold all
  ///   of the ranges.
  /// - Complexity: O(events in the ranges, to blocks of 64 KiB), and what stands behind the
  ///   checkpoint, or all of the file where none fits.
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

/// Turns lines into events for a caller.
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
