extension JournalWriter {
  /// Whether the erased lines are kept until a person agrees.
  var awaitsAgreement: Bool {
    pass.ledger.erasures.needAgreement(pass.unerased.count, of: pass.lineCount, side)
  }

  /// Overwrites the lines that still contain what is erased of their events, under the lock.
  ///
  /// First, the file is synced, so that nothing is erased without the event that says so. Then, the
  /// new lines are recorded durably beside the journal, written in place, and synced. A crash in
  /// between is completed by the next commit; until then, readings take the recorded lines. While a
  /// person has to agree, nothing is done.
  ///
  /// - Throws: `inputOutput`, with the erased lines intact or recorded.
  func overwriteErased(_ file: JournalFile) throws(EventLogError) {
    let damaged = pass.damagedErasedLines
    if pass.unerased.isEmpty, pass.findings.overwrites.isEmpty, damaged.isEmpty { return }
    if awaitsAgreement { return }
    let erasures = pass.ledger.erasures
    var fetcher = LineFetcher(of: file.descriptor, in: fileSystem)
    do throws(Errno) {
      try fileSystem.sync(file.descriptor)
      // They contain what is erased. After a crash, this is done again as long as lines remain.
      // Another process may be about to put one in place, and will find this number afterwards.
      let agreed = side.erasureCounts.agreed
      guard (try? side.record(erasureCounts: (agreed, erasures.extents.count))) != nil else {
        throw .inputOutput
      }
      side.removeCheckpoints()
      side.removeQuarantined(Set(erasures.extents.keys))
      var (lines, byteCount) = ([Int64: [UInt8]](), 0)
      for position in pass.unerased.values.sorted(by: { $0.offset < $1.offset }) {
        var form = ErasedForm(erasures, recorded: pass.findings.overwrites[position.offset])
        var scanner = LineScanner()
        scanner.scan(try fetcher.bytes(at: position), at: position, into: &form)
        guard let bytes = form.bytes else { continue }
        lines[position.offset] = bytes
        byteCount += bytes.count
        // The record of so many lines is read into memory.
        if byteCount >= 4 << 20 {
          try write(overwrites: lines, file)
          (lines, byteCount) = ([:], 0)
        }
      }
      try write(overwrites: lines, file)
      for (index, line) in damaged { try overwrite(line, at: index, file) }
    } catch {
      throw .inputOutput(
        "erase events in", path, error, meaning: "The next append continues with it.")
    }
    pass.unerased = [:]
    pass.findings.overwrites = [:]
  }

  /// Removes what is left of an erased event's content from a damaged line.
  ///
  /// The line still fails, and still shows which event it contained, so the findings stay.
  private func overwrite(
    _ line: FailingLine, at index: Int, _ file: JournalFile
  ) throws(Errno) {
    let bytes = try fileSystem.readBytes(file.descriptor, at: line.offset, count: 2 << 20)
      .prefix { $0 != 0x0A }
    let wanted = pass.ledger.hollow(line, byteCount: bytes.count)
    if !bytes.elementsEqual(wanted) {
      try fileSystem.writeAll(file.descriptor, wanted, at: line.offset)
      try fileSystem.sync(file.descriptor)
    }
    pass.findings.failing[index].isErased = true
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

/// Finds the erased form of a line, or the recorded one if half of it was overwritten.
private struct ErasedForm: LineSink {
  private let erasures: Erasures
  private var recorded: [UInt8]?
  private(set) var bytes: [UInt8]?

  init(_ erasures: Erasures, recorded: [UInt8]?) {
    (self.erasures, self.recorded) = (erasures, recorded)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let extent = erasures.extents[FullEventID(layout, canonical)] else { return }
    bytes = ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: extent)
    if bytes == nil, layout.isErased { bytes = line.copy() }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    guard let form = recorded.take(), ErasedLine.isForm(form, of: line.copy()) else { return }
    var scanner = LineScanner()
    scanner.scan(form + [0x0A], at: position, into: &self)
  }
}
