// What a journal would be with lines that are only rehearsed, and stand nowhere.

extension JournalWriter {
  /// What the journal would hold.
  func statement(with batch: JournalBatch<Sink>) throws(EventLogError) -> FrontierStatement {
    let read = pass
    pass = batch.pass
    defer { pass = read }
    return try statement()
  }

  /// The checksum of an event in the file, or among the rehearsed lines.
  func checksum(
    of event: EventID, orIn batch: JournalBatch<Sink>
  ) throws(EventLogError) -> LineChecksum? {
    if let device = pass.ledger.find(event.device),
      event.sequence <= pass.ledger.devices[device].last
    {
      return try checksum(of: event)
    }
    return RehearsedLines(of: batch.bytes) { $0 == event }.last?.checksum
  }

  /// The lines of some ranges: those of the file, then the rehearsed ones, as a run would have put
  /// them there.
  func source(
    _ ranges: [EventRange], with batch: JournalBatch<Sink>, on worker: SerialWorker
  ) throws(EventLogError) -> any LineSource {
    var (written, rehearsed): ([EventRange], EventRanges) = ([], EventRanges())
    for range in ranges {
      let held = pass.ledger.find(range.device).map { pass.ledger.devices[$0].last } ?? 0
      if range.first <= held {
        written.append(
          EventRange(device: range.device, first: range.first, last: min(range.last, held)))
      }
      if range.last > held {
        rehearsed.insert(
          EventRange(device: range.device, first: max(range.first, held + 1), last: range.last))
      }
    }
    return RehearsedLineSource(
      written.isEmpty ? nil : try source(written, on: worker),
      RehearsedLines(of: batch.bytes) { rehearsed.contains($0) }.batches)
  }
}

/// Hands out what is written, then what is rehearsed.
private actor RehearsedLineSource: LineSource {
  private var written: (any LineSource)?
  private var rehearsed: ArraySlice<LineBatch>

  init(_ written: (any LineSource)?, _ rehearsed: [LineBatch]) {
    self.written = written
    self.rehearsed = rehearsed[...]
  }

  func next() async throws(EventLogError) -> LineBatch? {
    if let batch = try await written?.next() { return batch }
    written = nil
    return rehearsed.popFirst()
  }
}

/// Picks lines.
private struct RehearsedLines: LineSink {
  var batches: [LineBatch] = []
  var last: (id: EventID, checksum: LineChecksum)?
  private let isWanted: (EventID) -> Bool

  init(of bytes: [UInt8], where isWanted: @escaping (EventID) -> Bool) {
    self.isWanted = isWanted
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &self)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let id = EventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence)
    guard isWanted(id) else { return }
    last = (id, layout.checksum)
    if batches.last?.isFull ?? true { batches.append(LineBatch()) }
    batches[batches.count - 1].add(line)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
