/// Reads a journal's file into a pass, without changing the file.
package struct JournalReading {
  package let path: String
  package let fileSystem: any FileSystem
  package let file: FileDescriptor

  /// The findings at the end of the file.
  package struct End: Sendable {
    /// Bytes that were never acknowledged or are in doubt, from the first failing line to the end.
    package var doubtfulTail: LinePosition?
    /// The fault of the first of these lines, or nil for a batch that was cut off between two
    /// lines.
    package var tailReason: LineFault?
    /// Whether the last line is valid except for its missing LF.
    package var lacksLineFeed = false
    /// Whether the file contains bytes but no valid line.
    package var holdsNoEvent = false
    /// Whether the sink was full before the end.
    ///
    /// If so, the properties above are unknown.
    package var isPaused = false
    /// The size of the file when the reading began.
    package var size: Int64 = 0
    /// The content of `device.json`, if it was made for this file on this machine.
    package var record: DeviceRecord?
    /// The device ID that the next append uses, as far as ``Journal`` has determined it.
    package var decision = DeviceDecision.fresh(.noRecord)
    /// Whether the file isn't a journal: it contains neither an event nor a torn first batch.
    package var isForeign: Bool { holdsNoEvent && record?.sequence != 0 }

    package init(isPaused: Bool = false, size: Int64 = 0) {
      (self.isPaused, self.size) = (isPaused, size)
    }
  }

  package init(path: String, fileSystem: any FileSystem, file: FileDescriptor) {
    self.path = path
    self.fileSystem = fileSystem
    self.file = file
  }

  /// Continues the reading of `pass`, or starts again if an addition has changed the clocks of
  /// earlier lines.
  ///
  /// - Parameter record: The content of `device.json`, if it was made for this file. It
  ///   distinguishes a torn batch from damage and identifies the journal's device.
  /// - Throws: `inputOutput`; `otherUser` if no device has joined as the given user.
  package func read<Sink: EventSink>(
    into pass: inout JournalPass<Sink>, record: DeviceRecord?
  ) throws(EventLogError) -> End {
    let isWhole = pass.lineCount == 0
    for _ in 0..<Self.readingsMax {
      if let record { pass.ledger.users.ownDevice = record.device }
      let end = try readOnce(into: &pass, record)
      if !pass.ledger.mustReread {
        // After reading the whole file, checking all of it costs little more.
        if isWhole { pass.sink.checkInvariants(pass.ledger) }
        try pass.ledger.checkGivenUser(of: path)
        return end
      }
      pass.restart()
    }
    let end = try readOnce(into: &pass, record)
    pass.ledger.mustReread = false
    try pass.ledger.checkGivenUser(of: path)
    return end
  }

  /// A reading changes the set of users at most a few times.
  fileprivate static let readingsMax = 4

  private func readOnce<Sink: EventSink>(
    into pass: inout JournalPass<Sink>, _ record: DeviceRecord?
  ) throws(EventLogError) -> End {
    do throws(Errno) {
      var end = End()
      end.size = try fileSystem.status(of: file).size
      end.record = record
      // Reads up to the first failing line, then checks whether the rest is doubtful as a whole.
      pass.stopsAtFault = true
      try read(into: &pass, upTo: end.size)
      pass.stopsAtFault = false
      if pauseIfFull(&pass, &end) { return end }
      if let fault = pass.stoppedAt {
        pass.stoppedAt = nil
        pass.endOffset = fault.offset
        pass.nextLineNumber = fault.number
        let probe = try probeTail(
          from: fault, size: end.size,
          TornTailCheck(
            record: record, hasRead: record.map(pass.hasRead), isJournal: pass.lineCount > 0))
        end.doubtfulTail = probe.start
        end.tailReason = probe.start == nil ? nil : probe.reason
        end.holdsNoEvent = pass.lineCount == 0 && !probe.holdsEvents
        try read(into: &pass, upTo: end.doubtfulTail?.offset ?? end.size)
        if pauseIfFull(&pass, &end) { return end }
      }
      if let last = pass.lastGood, !last.isTerminated, last.offset >= pass.endOffset {
        end.lacksLineFeed = true
      }
      // A missing end was rolled back. A failing line with its LF was complete.
      let hasDamage = end.doubtfulTail?.isTerminated ?? (pass.findings.failingCount > 0)
      pass.record = hasDamage ? record : nil
      pass.written = record?.written ?? []
      var fetcher = LineFetcher(of: file, in: fileSystem)
      try pass.settle { (position) throws(Errno) in try fetcher.bytes(at: position) }
      if let record, !pass.ledger.mustReread { findTornBatch(of: record, in: &pass, &end) }
      return end
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
  }

  /// If the sink is full, ends the reading after the last line that it accepted.
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

  /// Reads the lines up to `end`, including failing ones.
  func read<Sink: EventSink>(
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

  private func probeTail(
    from fault: LinePosition, size: Int64, _ blank: TornTailCheck
  ) throws(Errno) -> TornTailCheck {
    var probe = blank
    var reader = LineReader(from: fault.offset, lineNumber: fault.number)
    var scanner = LineScanner()
    try reader.readLines(of: file, in: fileSystem, upTo: size, scanner: &scanner, into: &probe)
    return probe
  }

  /// Treats an unfinished batch of the own device at the end of the file as torn: after the last
  /// synced event, it was never acknowledged.
  private func findTornBatch<Sink: EventSink>(
    of record: DeviceRecord, in pass: inout JournalPass<Sink>, _ end: inout End
  ) {
    var limit = end.doubtfulTail?.offset ?? (end.lacksLineFeed ? end.size : pass.endOffset)
    var first: LinePosition?
    for line in pass.unfinished.reversed() {
      guard line.position.endOffset >= limit,
        pass.ledger.names.text(Int(line.key.device)) == record.device.text,
        line.key.sequence > record.sequence
      else { break }
      first = line.position
      limit = line.position.offset
    }
    guard let first else { return }
    end.doubtfulTail = first
    end.lacksLineFeed = false
    pass.forgetWaiting(from: first.offset)
    pass.endOffset = first.offset
    pass.nextLineNumber = first.number
    pass.ledger.index.limitReading(to: first.offset)
    pass.lastGood = pass.lastGood.flatMap { $0.offset < first.offset ? $0 : nil }
  }
}

extension JournalPass {
  /// Whether the last reading ended without a restart, so that rereading has the same result.
  var hasConverged: Bool { restartCount < JournalReading.readingsMax }

  /// Whether the last event that a record lists as synced was read, admitted or not.
  func hasRead(_ record: DeviceRecord) -> Bool {
    guard let event = record.event else { return true }
    if ledger.holds(event) { return true }
    guard let device = ledger.find(event.device) else { return false }
    let key = DeferredLines.Key(
      device: Int32(device), sequence: event.sequence, chain: event.chain)
    return waiting.lines.contains { $0.key == key }
  }
}
