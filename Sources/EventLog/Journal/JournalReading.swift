/// Reads a journal's file into a pass, without changing anything.
package struct JournalReading {
  package let path: String
  package let fileSystem: any FileSystem
  package let file: FileDescriptor

  /// What a reading found at the end of the file.
  package struct End: Sendable {
    /// Bytes that were never acknowledged or are in doubt, from the first failing line to the end.
    package var doubtfulTail: LinePosition?
    /// Why the first line of them fails.
    package var tailReason: LineFault?
    /// Whether the last line is good but for its LF.
    package var lacksLineFeed = false
    /// Whether there are bytes and no good line among them.
    package var holdsNoEvent = false
    /// Whether the sink was full before the end was reached: nothing above is known then.
    package var isPaused = false
    /// The file's size when the reading began.
    package var size: Int64 = 0
  }

  package init(path: String, fileSystem: any FileSystem, file: FileDescriptor) {
    self.path = path
    self.fileSystem = fileSystem
    self.file = file
  }

  /// Reads on from where `pass` ended.
  ///
  /// `synced` is the last own event known to be synced; it helps to tell a torn batch from damage.
  package func read<Sink: EventSink>(
    into pass: inout JournalPass<Sink>, synced: EventID?
  ) throws(EventLogError) -> End {
    do throws(Errno) {
      var end = End()
      end.size = try fileSystem.status(of: file).size
      // Reads up to the first failing line, then asks whether the rest is doubtful as a whole.
      pass.stopsAtFault = true
      try read(into: &pass, upTo: end.size)
      pass.stopsAtFault = false
      if pauseIfFull(&pass, &end) { return end }
      if let fault = pass.stoppedAt {
        pass.stoppedAt = nil
        pass.endOffset = fault.offset
        pass.nextLineNumber = fault.number
        let probe = try probeTail(
          from: fault, size: end.size, synced: synced.flatMap { holds($0, pass.ledger) ? $0 : nil })
        end.doubtfulTail = probe.start
        end.tailReason = probe.start == nil ? nil : probe.reason
        end.holdsNoEvent = pass.lineCount == 0 && !probe.holdsEvents
        try read(into: &pass, upTo: end.doubtfulTail?.offset ?? end.size)
        if pauseIfFull(&pass, &end) { return end }
      }
      if let last = pass.lastGood, !last.isTerminated, last.offset >= pass.endOffset {
        end.lacksLineFeed = true
      }
      try resolveSuspects(of: &pass)
      return end
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
  }

  /// Where the sink is full, the next reading goes on behind the last line that it took.
  private func pauseIfFull<Sink: EventSink>(
    _ pass: inout JournalPass<Sink>, _ end: inout End
  ) -> Bool {
    // A last line without LF is the end anyway.
    guard pass.sink.isFull, let last = pass.lastGood, last.isTerminated else { return false }
    pass.endOffset = last.endOffset
    pass.nextLineNumber = last.number + 1
    end = End(isPaused: true, size: end.size)
    return true
  }

  private func read<Sink: EventSink>(
    into pass: inout JournalPass<Sink>, upTo end: Int64
  ) throws(Errno) {
    let ahead = ReadAhead(of: file, in: fileSystem)
    let (offset, number) = (pass.endOffset, pass.nextLineNumber)
    let read =
      Sink.canBeFull
      ? try ahead.read(from: offset, number, upTo: end, into: &pass)
      : try ahead.readLines(from: offset, lineNumber: number, upTo: end, into: &pass)
    pass.slowLineCount += read.slowLineCount
    pass.endOffset = read.offset
    pass.nextLineNumber = read.number
  }

  private func holds(_ event: EventID, _ ledger: Ledger) -> Bool {
    (ledger.find(event.device).map { ledger.devices[$0].last } ?? 0) >= event.sequence
  }

  private func probeTail(
    from fault: LinePosition, size: Int64, synced: EventID?
  ) throws(Errno) -> TailProbe {
    var probe = TailProbe(synced: synced)
    var reader = LineReader(from: fault.offset, lineNumber: fault.number)
    var scanner = LineScanner()
    try reader.readLines(of: file, in: fileSystem, upTo: size, scanner: &scanner, into: &probe)
    return probe
  }

  // MARK: - Lines that stand twice

  /// Tells for each line whose place had passed whether it is a repetition, a fork, or misplaced.
  private func resolveSuspects<Sink: EventSink>(
    of pass: inout JournalPass<Sink>
  ) throws(Errno) {
    guard !pass.suspects.isEmpty else { return }
    let suspects = pass.suspects
    pass.suspects = []
    var finder = OriginalFinder(suspects: suspects.map { ($0.device, $0.sequence) }, pass.ledger)
    var reader = LineReader()
    var scanner = LineScanner()
    try reader.readLines(
      of: file, in: fileSystem, upTo: pass.endOffset, scanner: &scanner, into: &finder)
    for suspect in suspects {
      let original = finder.found[OriginalFinder.Key(suspect.device, suspect.sequence)]
      let code: JournalProblem.Code
      if let original, original.offset < suspect.position.offset {
        code = original.checksum == suspect.checksum ? .repeatedLine : .fork
      } else {
        code = .outOfOrder
      }
      if code == .fork { pass.ledger.markFork(suspect.device, at: suspect.sequence) }
      pass.add(code, device: suspect.device, sequence: suspect.sequence, at: suspect.position)
    }
    pass.problems.sort()
  }
}

/// Looks for the first lines that carry given IDs.
private struct OriginalFinder: LineSink {
  struct Key: Hashable {
    var device: Int
    var sequence: Int64
    init(_ device: Int, _ sequence: Int64) {
      self.device = device
      self.sequence = sequence
    }
  }

  struct Place {
    var offset: Int64
    var checksum: LineChecksum
  }

  private let wanted: Set<Key>
  private let ledger: Ledger
  private(set) var found: [Key: Place] = [:]

  init(suspects: [(Int, Int64)], _ ledger: Ledger) {
    wanted = Set(suspects.map { Key($0.0, $0.1) })
    self.ledger = ledger
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let device = ledger.names.find(canonical, layout.device) else { return }
    let key = Key(device, layout.sequence)
    if wanted.contains(key), found[key] == nil {
      found[key] = Place(offset: position.offset, checksum: layout.checksum)
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
