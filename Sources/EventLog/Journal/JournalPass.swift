/// A reading of a journal, which admits lines to a ledger and passes the admitted events to a sink.
///
/// It starts at the beginning or at the end of an earlier reading.
package struct JournalPass<Sink: EventSink>: LineSink {
  package var ledger = Ledger()
  package var sink: Sink
  /// A sink without events, for restarts.
  @Boxed private(set) var blank: Sink
  /// The offset after the last line with an LF, blank lines included, at which appends start.
  package var endOffset: Int64 = 0
  /// The number of the line that starts at ``endOffset``.
  package var nextLineNumber = 1
  /// The last valid line.
  package var lastGood: LinePosition?
  package var lineCount = 0
  /// The number of lines that aren't in canonical spelling, including failing lines.
  package var slowLineCount = 0
  /// Whether the next failing line ends the reading instead of being reported.
  var stopsAtFault = false
  /// The failing line that ended the reading.
  @Boxed var stoppedAt: LinePosition?
  /// A full sink still takes the rest of a batch, which wouldn't be read again.
  package var isStopped: Bool {
    if stoppedAt != nil { return true }
    if sink.isFull, case .file = source { return true }
    return false
  }
  /// Whether the reading started from a checkpoint.
  ///
  /// The lines before it weren't read.
  package internal(set) var isResumed = false
  /// The end of the bytes that the checkpoint covers, or 0.
  var checkpointOffset: Int64 = 0
  /// The number of restarts, each because a line changed how earlier lines count.
  package internal(set) var restartCount = 0
  /// The content of `device.json` if it was made for this file and the file has damage.
  @Boxed var record: DeviceRecord?
  /// The events that `device.json` lists as synced, once the file was read to its end.
  var written: [FullEventID] = []
  @Boxed var findings = FindingLog()
  var waiting = DeferredLines()
  @Boxed var batch = OpenBatch()
  var source = Source.file
  /// Whether events of a batch are admitted one by one, because the writer will add the last one.
  var admitsAtOnce = false
  /// The lines that still contain what is erased of their events, by their offsets.
  @Boxed var unerased: [Int64: LinePosition] = [:]
  /// Whether the current line is the erased form of one in the file.
  var isErasing = false

  /// The origin of the current line.
  enum Source {
    /// The file's next line.
    case file
    /// A batch whose last line was read.
    case batch
    /// The deferred lines, with the entries of the line's `seen` that count as absent.
    case waiting(Set<Int>)
  }

  package init(sink: Sink) {
    self.sink = sink
    blank = sink
  }

  /// - Parameter earlier: What an earlier reading has found.
  package init(sink: Sink, after earlier: (users: JournalUsers, erasures: Erasures)) {
    self.init(sink: sink)
    ledger = Ledger(users: earlier.users, erasures: earlier.erasures)
  }

  /// Discards the reading, except for the users and erasures that it has found.
  mutating func restart() {
    let count = restartCount + 1
    var sink = sink
    sink.restart(blank)
    var pass = JournalPass(sink: blank, after: ledger.begun)
    pass.sink = sink
    pass.restartCount = count
    pass.findings.acceptedDamage = findings.acceptedDamage
    pass.findings.overwrites = findings.overwrites
    self = pass
  }

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    // The ledger reads the data of joinings, adoptions, losses and erasures.
    layout.sequence == 1 || Self.isReserved(layout, canonical)
      || sink.wantsData(layout, canonical: canonical)
  }

  @inline(__always)
  private static func isReserved(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    let count = layout.type.count
    return count == 11 && canonical.matches(layout.type, "device.lost")
      || count == 12
        && (canonical.matches(layout.type, "user.adopted")
          || canonical.matches(layout.type, "event.erased"))
  }

  // MARK: - Lines

  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if !ledger.erasures.isEmpty, isErased(layout, canonical, at: position) { return }
    switch source {
    case .file: break
    case .batch: return admit(layout, canonical, line, position)
    case .waiting(let absent):
      return admit(layout, canonical, line, position, without: absent, isWaiting: true)
    }
    lineCount &+= 1
    lastGood = position
    if layout.hasMore || batch.isOpen, !admitsAtOnce {
      return takeIntoBatch(layout, canonical, line, position)
    }
    admit(layout, canonical, line, position)
  }

  @inline(__always)
  private mutating func admit(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>, _ position: LinePosition,
    without absent: Set<Int> = [], isWaiting: Bool = false
  ) {
    let isReserved = layout.version == 1 && Self.isReserved(layout, canonical)
    if isReserved { noteAdoption(layout, canonical) }
    switch ledger.admit(
      layout, canonical: canonical, without: absent, isSettling: isWaiting)
    {
    case .applied(let branch):
      if layout.sequence == ledger.branches[branch].first { ledger.noteFork(branch, at: position) }
      if isReserved { note(layout, canonical) }
      if layout.isErased {
        ledger.erasures.noteErased(layout, canonical, at: position)
      }
      if isWaiting {
        ledger.index.addStray(
          branch, layout.sequence, at: position, readUpTo: lastGood?.endOffset ?? position.endOffset
        )
      } else {
        ledger.index.add(branch, layout.sequence, at: position.offset)
      }
      sink.apply(
        layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    case .duplicate:
      noteDuplicate(layout, canonical, at: position)
      if ledger.erasures.noteRepeated(layout, canonical) { ledger.mustReread = true }
    case .waiting:
      waiting.add(layout, canonical, at: position, in: &ledger)
      ledger.index.pass(position.offset)
    case .refused(let code): refuse(code, layout, canonical, at: position)
    }
  }

  /// Records an admitted `device.lost` or `event.erased`.
  private mutating func note(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    if canonical.matches(layout.type, "event.erased") {
      ledger.noteErasure(layout, canonical)
    } else {
      ledger.noteLoss(layout, canonical)
    }
  }

  @inline(never)
  private mutating func noteAdoption(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard canonical.matches(layout.type, "user.adopted") else { return }
    let device = ledger.device(of: layout, canonical)
    ledger.noteAdoption(layout, canonical, of: device)
  }

  /// Takes a line of a batch, or one after an open batch.
  ///
  /// No event of a batch is admitted before its last line is read.
  @inline(never)
  private mutating func takeIntoBatch(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>, _ position: LinePosition
  ) {
    if batch.isOpen, !batch.continues(with: layout, canonical) { spillBatch() }
    // Deferred lines count for the users of the journal, too.
    if layout.sequence == 1, !ledger.noteJoining(layout, canonical) {
      return refuse(.notJoined, layout, canonical, at: position)
    }
    if layout.version == 1, Self.isReserved(layout, canonical) { noteAdoption(layout, canonical) }
    let isReady =
      batch.isOpen
      ? ledger.hasResolved(layout, canonical) : ledger.isReady(layout, canonical)
    guard isReady, !batch.isFull else {
      spillBatch()
      if layout.hasMore, ledger.point(of: layout, canonical).map(ledger.isHeld) != true {
        waiting.add(layout, canonical, at: position, in: &ledger)
      } else {
        admit(layout, canonical, line, position)
      }
      return
    }
    if layout.hasMore {
      batch.add(layout, canonical: canonical, line: line, at: position)
      return
    }
    if batch.isOpen {
      let lines = batch.take()
      source = .batch
      lines.deliver(into: &self)
      source = .file
    }
    admit(layout, canonical, line, position)
  }

  /// Defers the lines of an open batch.
  private mutating func spillBatch() {
    guard batch.isOpen else { return }
    let lines = batch.take()
    var sink = BatchSpill(waiting: waiting, ledger: ledger)
    lines.deliver(into: &sink)
    (waiting, ledger) = (sink.waiting, sink.ledger)
  }

  package mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    if finish(line, at: position) { return }
    guard case .file = source else {
      // The line was valid when it was first read, so the file has changed.
      ledger.mustReread = true
      return
    }
    if stopsAtFault {
      stoppedAt = position
      return
    }
    lineCount += 1
    findings.add(FailingLine(fault, line: line, at: position))
  }

  // MARK: - End

  /// Admits the deferred lines after the last line was read, and places missing events in their
  /// histories.
  ///
  /// - Parameter fetch: Returns the bytes of a line that was read, with an LF.
  mutating func settle<Failure: Error>(
    _ fetch: (LinePosition) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    spillBatch()
    ledger.settleUsers()
    defer { settleErasures() }
    if ledger.mustReread || waiting.isEmpty { return }
    if ledger.isHistoryTold {
      // The clocks are from a reading that deferred no line, so its lines had another order.
      ledger.mustReread = true
      return
    }
    let settlement = DeferredAdmission(waiting, ledger, lost: lostEnd)
    if settlement.mustReread {
      ledger.mustReread = true
      return
    }
    var scanner = LineScanner()
    for step in settlement.steps {
      switch step {
      case .missing(let key, let parent, let naming):
        let position = waiting.lines[naming].position
        ledger.addMissing(
          Int(key.device), key.sequence, key.chain,
          after: parent.flatMap { ledger.locate(Int($0.device), $0.sequence, $0.chain) },
          named: .init(line: position.number, byte: position.offset))
      case .line(let index, let absent):
        let position = waiting.lines[index].position
        source = .waiting(absent)
        scanner.scan(try fetch(position), at: position, into: &self)
      }
    }
    for index in settlement.duplicates {
      let (key, position) = (waiting.lines[index].key, waiting.lines[index].position)
      if let point = ledger.locate(Int(key.device), key.sequence, key.chain),
        ledger.erasures.unnamed[ledger.fullID(point)] != nil
      {
        // It may be the original of the erased line.
        source = .waiting([])
        scanner.scan(try fetch(position), at: position, into: &self)
      } else {
        let device = ledger.names.text(Int(key.device))
        findings.note(.repeatedLine, device: device, sequence: key.sequence, at: position)
      }
    }
    source = .file
    waiting.keep(settlement.unfinished.map { waiting.lines[$0] })
    // A checkpoint may be forged, which must not stop a debug build.
    if !ledger.mustReread, !isResumed { ledger.checkInvariants() }
  }

  /// The last event of a batch that `device.json` records as synced, if its line is damaged, and
  /// the deferred line before it.
  private var lostEnd: (event: DeferredLines.Key, before: Int)? {
    guard let record, let event = record.event, let device = ledger.find(event.device),
      ledger.locate(device, event.sequence, event.chain) == nil
    else { return nil }
    func key(_ sequence: Int64, _ chain: UInt32) -> DeferredLines.Key {
      DeferredLines.Key(device: Int32(device), sequence: sequence, chain: chain)
    }
    let (lost, before) = (
      key(event.sequence, event.chain), key(event.sequence - 1, record.checksum.before)
    )
    if waiting.lines.contains(where: { $0.key == lost }) { return nil }
    return waiting.lines.firstIndex { $0.hasMore && $0.key == before }.map { (lost, $0) }
  }

  /// The lines of unfinished batches, in file order.
  var unfinished: [DeferredLines.Line] { waiting.lines }

  /// Removes the deferred lines from `offset` on, which are about to be cut.
  mutating func forgetWaiting(from offset: Int64) {
    waiting.keep(waiting.lines.filter { $0.position.offset < offset })
  }

  // MARK: - Notes

  @inline(never)
  mutating func noteDuplicate(
    _ layout: LineLayout, _ canonical: Span<UInt8>, at position: LinePosition
  ) {
    findings.note(
      .repeatedLine, device: canonical.text(layout.device), sequence: layout.sequence,
      at: position)
  }

  @inline(never)
  private mutating func refuse(
    _ code: JournalProblem.Code, _ layout: LineLayout, _ canonical: Span<UInt8>,
    at position: LinePosition
  ) {
    findings.refuse(
      code, device: canonical.text(layout.device), sequence: layout.sequence, at: position)
  }
}

extension JournalPass: Sendable where Sink: Sendable {}

/// Defers the lines of a batch that can't be admitted at once.
private struct BatchSpill: LineSink {
  var waiting: DeferredLines
  var ledger: Ledger

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    waiting.add(layout, canonical, at: position, in: &ledger)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
