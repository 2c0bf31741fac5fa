extension JournalBatch {
  /// Adds lines of another journal byte for byte, each after all the events that it needs.
  ///
  /// Each line is checked completely before it is applied: its bytes, whether it was requested, its
  /// user, and whether each event that it needs is held, precedes it, or is missing at the sender
  /// too. A refusal affects only the line and the lines that need it. Held lines are skipped, so
  /// receiving is idempotent. A batch without its last event is left for a later call, unless the
  /// sender has stated that its next event is missing.
  ///
  /// - Parameters:
  ///   - lines: Lines that each end with LF.
  ///   - filter: The lines to accept.
  /// - Throws: `inputOutput` if a line of the journal can't be reread; `tooManyDevices`. The batch
  ///   may then contain some of the lines.
  package mutating func receive(
    _ lines: [UInt8], on filter: ReceiveFilter = ReceiveFilter()
  ) throws(EventLogError) -> ReceiveResult {
    let begin = start + Int64(bytes.count)
    let countBefore = pass.ledger.branches.count
    var gate = LineValidator(batch: self, filter: filter)
    // The gate now holds the only references, so it changes the buffers in place.
    (pass, bytes) = (JournalPass(sink: pass.blank), [])
    var scanner = LineScanner()
    scanner.scanLines(lines, into: &gate)
    gate.finish()
    swap(&self, &gate.batch)
    try pass.ledger.checkDevices(after: countBefore, atMost: options.devicesMax)
    do throws(Errno) {
      var (pass, fetcher) = (pass, fetcher)
      self.pass = JournalPass(sink: pass.blank)
      defer { self.pass = pass }
      try pass.settle { (position) throws(Errno) in
        guard position.offset >= start else {
          return try fetcher?.bytes(at: position) ?? [0x0A]
        }
        let first = Int(position.offset - start)
        return Array(bytes[first..<first + position.byteCount]) + [0x0A]
      }
    } catch {
      throw .inputOutput(
        "read", "journal", error, meaning: "Nothing was appended.")
    }
    // Deferred lines start histories only when they are settled.
    try pass.ledger.checkDevices(after: countBefore, atMost: options.devicesMax)
    precondition(start + Int64(bytes.count) >= begin, "Received lines are kept.")
    return gate.result
  }
}

extension Ledger {
  /// - Parameter count: The number of device IDs, forks and gaps before receiving.
  /// - Throws: `tooManyDevices` if there are more than before, and more than `max` in total.
  fileprivate func checkDevices(
    after count: Int, atMost max: Int
  ) throws(EventLogError) {
    guard branches.count > count, branches.count > max else { return }
    throw .tooManyDevices(
      branches.count - count, beside: count, max: max, from: "The other side")
  }
}

extension EventLogError {
  /// - Parameters:
  ///   - source: The subject of the message.
  ///   - held: The number of device IDs and forks that the journal contained before.
  static func tooManyDevices(
    _ count: Int, beside held: Int, max: Int, from source: String
  ) -> EventLogError {
    EventLogError(
      .tooManyDevices,
      "\(source) has at least \(count) device IDs and forks that this journal does not know."
        + " It contains \(held), and accepts new ones only up to \(max) in total. They were not"
        + " accepted.",
      hint: "If you expect these devices, raise JournalOptions.devicesMax.")
  }
}

/// Checks received lines before they are added to a batch.
private struct LineValidator<Sink: EventSink>: LineSink {
  @Boxed var batch: JournalBatch<Sink>
  let filter: ReceiveFilter
  var result = ReceiveResult()
  /// Accepted events that aren't admitted yet, or are collected in ``open``.
  private var taken: Set<FullEventID> = []
  /// Events that are already in the journal, in unfinished batches.
  private let waiting: Set<DeferredLines.Key>
  /// The gaps in the history of the journal's own device.
  private let ownGaps: [EventRange]
  /// The lines of a batch until its last one is read.
  private var open = OpenBatch()
  private var openEvents: [FullEventID] = []
  private var isDelivering = false

  init(batch: JournalBatch<Sink>, filter: ReceiveFilter) {
    self.batch = batch
    self.filter = filter
    waiting = Set(batch.pass.unfinished.map(\.key))
    ownGaps = batch.pass.ledger.missingRanges.filter { $0.device == batch.recordedDevice }
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let device = DeviceID(trusted: canonical.text(layout.device))
    let event = FullEventID(
      device: device, sequence: layout.sequence, chain: layout.checksum.chain)
    if isDelivering { return take(event, layout, canonical, line) }
    if open.isOpen, !open.continues(with: layout, canonical) {
      // If the rest isn't missing at the sender, it can come later: the lines stay deferred.
      deliverOpenBatch()
    }
    if isHeld(event, layout) || taken.contains(event) || isWaiting(event) {
      result.heldCount += 1
      return
    }
    if let code = refusal(of: event, layout, canonical) {
      if tellsOfLaterOwn(event, layout, canonical) { noteDuplicateWriter() }
      leaveOpenBatch()
      return result.refuse(.init(device: device, sequence: layout.sequence, code: code))
    }
    // An event of a batch is held back until the last one is read, unless it fills a gap: an event
    // here already needs it.
    if layout.hasMore, batch.pass.ledger.locate(event) == nil {
      open.add(layout, canonical: canonical, line: line, at: position)
      openEvents.append(event)
      taken.insert(event)
      return
    }
    deliverOpenBatch()
    take(event, layout, canonical, line)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    leaveOpenBatch()
    result.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }

  /// Delivers or drops an unfinished batch after the last line.
  mutating func finish() {
    guard let last = openEvents.last else { return }
    if filter.isBeforeGap(last) { deliverOpenBatch() } else { leaveOpenBatch() }
  }

  // MARK: - Batches

  /// Whether an event is in the journal, and not only its erased line while nothing says that it
  /// was erased.
  private func isHeld(_ event: FullEventID, _ layout: LineLayout) -> Bool {
    batch.pass.ledger.holds(event)
      && (layout.isErased || batch.pass.ledger.erasures.unnamed[event] == nil)
  }

  /// Whether an event is already in the journal, in an unfinished batch.
  private func isWaiting(_ event: FullEventID) -> Bool {
    guard !waiting.isEmpty, let device = batch.pass.ledger.find(event.device) else { return false }
    return waiting.contains(
      .init(device: Int32(device), sequence: event.sequence, chain: event.chain))
  }

  private mutating func leaveOpenBatch() {
    taken.subtract(openEvents)
    openEvents = []
    open = OpenBatch()
  }

  private mutating func deliverOpenBatch() {
    guard open.isOpen else { return }
    let lines = open.take()
    leaveOpenBatch()
    isDelivering = true
    lines.deliver(into: &self)
    isDelivering = false
  }

  private mutating func take(
    _ event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) {
    let isDuplicateWriter = tellsOfLaterOwn(event, layout, canonical)
    let offset = batch.start + Int64(batch.bytes.count)
    batch.pass.event(
      layout, canonical: canonical, line: line,
      at: LinePosition(
        number: batch.pass.nextLineNumber, offset: offset, byteCount: line.count,
        endOffset: offset + Int64(line.count) + 1, isTerminated: true))
    if isDuplicateWriter { noteDuplicateWriter() }
    batch.pass.nextLineNumber += 1
    if batch.pass.unerased.removeValue(forKey: offset) != nil,
      let extent = batch.pass.ledger.erasures.extent(of: layout, canonical),
      let erased = ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: extent)
    {
      batch.bytes += erased
    } else {
      line.append(to: &batch.bytes)
    }
    batch.bytes.append(0x0A)
    if !batch.pass.ledger.holds(event) { taken.insert(event) }
    result.received.insert(event, after: layout.checksum.before)
  }

  // MARK: - Checks

  /// The reason for refusing a line, or nil if it is accepted.
  private func refusal(
    of event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> JournalProblem.Code? {
    if filter.isOtherThanStated(event) { return .otherThanStated }
    if let code = userRefusal(of: event, layout, canonical) { return code }
    if layout.sequence > 1,
      !isMet(
        FullEventID(
          device: event.device, sequence: event.sequence - 1, chain: layout.checksum.before))
    {
      return .gap
    }
    let isMet = layout.seen.allSatisfy { entry in
      self.isMet(
        FullEventID(
          device: DeviceID(trusted: canonical.text(entry.device)), sequence: entry.sequence,
          chain: entry.chain))
    }
    return isMet ? nil : .gap
  }

  /// Whether an event that a line needs is in the journal, accepted, or missing at the sender too.
  private func isMet(_ event: FullEventID) -> Bool {
    taken.contains(event) || filter.missing.contains(event)
      || batch.pass.ledger.locate(event) != nil || isWaiting(event)
  }

  private func userRefusal(
    of event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> JournalProblem.Code? {
    let ledger = batch.pass.ledger
    let number = ledger.find(event.device)
    if layout.sequence > 1 {
      // A device whose joining is missing at the sender too is accepted.
      return number.map { ledger.devices[$0].isForeign } ?? false ? .otherUser : nil
    }
    guard let joining = Joining(layout, canonical) else { return .notJoined }
    if ledger.user == nil, let user = batch.options.user, !user.utf8.elementsEqual(joining.user) {
      return .otherUser
    }
    // Even if another first event of the device belongs here: this one could change the journal's
    // user.
    return ledger.users.belongs(joining.user) ? nil : .otherUser
  }

  // MARK: - Own events from elsewhere

  private mutating func noteDuplicateWriter() {
    batch.hasDuplicateWriter = true
    result.hasDuplicateWriter = true
  }

  /// Whether an event of the own device fills a known gap.
  private func isRefill(_ event: FullEventID) -> Bool {
    ownGaps.contains {
      ($0.first...$0.last).contains(event.sequence)
        && (event.sequence < $0.last || event.chain == $0.chain)
    }
  }

  /// Whether a valid line proves that events of the journal's own device are missing: it is one of
  /// them, or has seen one.
  private func tellsOfLaterOwn(
    _ event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Bool {
    guard let own = batch.recordedDevice else { return false }
    if event.device == own { return !isRefill(event) }
    return layout.seen.contains { entry in
      guard canonical.text(entry.device) == own.text else { return false }
      let seen = FullEventID(device: own, sequence: entry.sequence, chain: entry.chain)
      return batch.pass.ledger.locate(seen) == nil && !taken.contains(seen) && !isRefill(seen)
    }
  }
}
