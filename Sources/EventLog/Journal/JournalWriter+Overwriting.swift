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
    do throws(EventLogError) { try overwriteAll(file) } catch {
      identity.doubt()
      throw error
    }
  }

  private func overwriteAll(_ file: JournalFile) throws(EventLogError) {
    let damaged = pass.damagedErasedLines
    let erasures = pass.ledger.erasures
    let isWhole = pass.unerased.isEmpty && pass.findings.overwrites.isEmpty && damaged.isEmpty
    let found = [erasures.statements.count, erasures.extents.count]
    if isWhole, found == handledErasures { return }
    var counts = side.erasureCounts
    // A new statement may be about a line that is only in quarantine, or an earlier one about an
    // event that was received only now, from a device that had erased it.
    if isWhole, found[0] <= counts.known, found[1] == counts.named { handledErasures = found }
    if isWhole, found == handledErasures { return }
    let wereKept = counts.kept > 0
    counts.kept = awaitsAgreement ? 1 : 0
    // The journal may grow until these lines are less than half of it. They are kept all the same.
    if counts.kept > 0 { return wereKept ? () : try side.record(erasureCounts: counts) }
    var fetcher = LineFetcher(of: file.descriptor, in: fileSystem)
    do throws(Errno) {
      try fileSystem.sync(file.descriptor)
      side.removeQuarantined(Set(erasures.extents.keys))
      side.removeCheckpoints()
      (counts.known, counts.named) = (found[0], found[1])
      guard (try? side.record(erasureCounts: counts)) != nil else { throw .inputOutput }
      // Another process may have put one in place meanwhile. From now on, it finds this number.
      side.removeCheckpoints()
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
      for (index, event) in damaged { try overwrite(event, at: index, file) }
    } catch {
      throw .inputOutput(
        "erase events in", path, error, meaning: "The next append continues with it.")
    }
    (pass.unerased, pass.findings.overwrites) = ([:], [:])
    handledErasures = found
  }

  /// Removes what is left of an erased event's content from a damaged line.
  ///
  /// The line still fails, and still shows which event it contained, so the findings stay.
  private func overwrite(
    _ event: FullEventID, at index: Int, _ file: JournalFile
  ) throws(Errno) {
    let line = pass.findings.failing[index]
    let bytes = try Array(
      fileSystem.readBytes(file.descriptor, at: line.offset, count: LineLimits.lineBytesMax)
        .prefix { $0 != 0x0A })
    let start = Array("{\"id\":\"\(event.shortID)\",".utf8)
    let checksum = LineChecksum(before: line.checksum?.before ?? 0, chain: event.chain)
    let tail = Array(",\"crc\":\"\(checksum.description)\"}".utf8)
    let count = bytes.count - start.count - tail.count
    // If the end of a line was damaged, the next one may be in it.
    guard count > 0, !Array(bytes.dropFirst()).containsBytes(of: "{\"id\":") else {
      pass.findings.failing[index].isCleared = true
      return
    }
    let wanted = start + Array(repeating: UInt8(ascii: "-"), count: count) + tail
    if bytes != wanted {
      try fileSystem.writeAll(file.descriptor, wanted, at: line.offset)
      try fileSystem.sync(file.descriptor)
    }
    pass.findings.failing[index].isCleared = true
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
