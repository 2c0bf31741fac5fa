extension JournalWriter {
  /// The number of bytes of lines that are overwritten at a time.
  private static var overwriteBytes: Int { 4 << 20 }

  /// Overwrites the lines that still contain what is erased of their events, under the lock.
  ///
  /// First, the file is synced, so that nothing is erased without the event that says so. Then, the
  /// new lines are recorded durably beside the journal, written in place, and synced. A crash in
  /// between is completed by the next commit; until then, readings take the recorded lines.
  ///
  /// - Throws: `inputOutput`, with the erased lines intact or recorded.
  func overwriteErased(_ file: JournalFile) throws(EventLogError) {
    let recorded = pass.findings.overwrites
    if pass.unerased.isEmpty, recorded.isEmpty { return }
    var fetcher = LineFetcher(of: file.descriptor, in: fileSystem)
    var events: Set<FullEventID> = []
    do throws(Errno) {
      try fileSystem.sync(file.descriptor)
      // The journal may have been restored since.
      var lines: [Int64: [UInt8]] = [:]
      for (offset, bytes) in recorded {
        let line = try fileSystem.readBytes(file.descriptor, at: offset, count: bytes.count)
        if ErasedLine.isForm(bytes, of: line) { lines[offset] = bytes }
      }
      for position in pass.unerased.values.sorted(by: { $0.offset < $1.offset }) {
        var form = ErasedForm(erasures: pass.ledger.erasures)
        var scanner = LineScanner()
        scanner.scan(try fetcher.bytes(at: position), at: position, into: &form)
        guard let bytes = form.bytes, let event = form.event else { continue }
        lines[position.offset] = bytes
        events.insert(event)
        if lines.values.reduce(0, { $0 + $1.count }) >= Self.overwriteBytes {
          try write(overwrites: lines, file)
          lines = [:]
        }
      }
      try write(overwrites: lines, file)
    } catch {
      throw .inputOutput(
        "erase events in", path, error, meaning: "The next append continues with it.")
    }
    pass.unerased = [:]
    pass.findings.overwrites = [:]
    // They contain what was erased.
    side.removeCheckpoints()
    side.removeQuarantined(events)
  }

  private func write(overwrites lines: [Int64: [UInt8]], _ file: JournalFile) throws(Errno) {
    if lines.isEmpty { return side.removeOverwrites() }
    guard (try? side.record(overwrites: lines)) != nil else { throw .inputOutput }
    for (offset, line) in lines.sorted(by: { $0.key < $1.key }) {
      try fileSystem.writeAll(file.descriptor, line, at: offset)
    }
    try fileSystem.sync(file.descriptor)
    side.removeOverwrites()
  }
}

/// Finds the erased form of a line.
private struct ErasedForm: LineSink {
  let erasures: Erasures
  private(set) var bytes: [UInt8]?
  private(set) var event: FullEventID?

  init(erasures: Erasures) { self.erasures = erasures }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    event = FullEventID(layout, canonical)
    bytes = erasures.extent(of: layout, canonical).flatMap {
      ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: $0)
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
