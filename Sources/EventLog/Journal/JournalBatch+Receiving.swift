extension JournalBatch {
  /// Adds lines of another journal as they stand, each behind all that it needs.
  ///
  /// Each is checked completely before anything of it is applied: its bytes, that it was asked for,
  /// whose it is, and that all it needs is held, stands before it, or is missing for its sender
  /// too.
  /// What cannot be taken is refused by itself, and with it what needs it; lines that are held are
  /// passed over, so that receiving again changes nothing. A batch of which nothing more follows is
  /// left for the next time, unless something is known to follow that is missing.
  ///
  /// - Parameters:
  ///   - lines: each ended by LF.
  ///   - terms: what of them may be taken.
  /// - Throws: `inputOutput` where a line of the journal cannot be read again; `tooManyDevices`.
  ///   The batch may then hold a part.
  package mutating func receive(
    _ lines: [UInt8], on terms: ReceivingTerms = ReceivingTerms()
  ) throws(EventLogError) -> ReceiveResult {
    let begin = start + Int64(bytes.count)
    let countBefore = pass.ledger.branches.count
    var gate = ReceivingGate(batch: self, terms: terms)
    // With one owner, what was read is changed in place.
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
    // Lines that wait for what is missing begin histories only here.
    try pass.ledger.checkDevices(after: countBefore, atMost: options.devicesMax)
    precondition(start + Int64(bytes.count) >= begin, "Received lines are kept.")
    return gate.result
  }
}

extension Ledger {
  /// - Parameter count: how many device IDs, forks and gaps there were before those of the other
  ///   side came.
  /// - Throws: `tooManyDevices` where further ones came, and there are now more than `max` in all.
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
  ///   - source: who brings them.
  ///   - held: how many there are already.
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

/// Stands between lines from elsewhere and a batch.
private struct ReceivingGate<Sink: EventSink>: LineSink {
  @Boxed var batch: JournalBatch<Sink>
  let terms: ReceivingTerms
  var result = ReceiveResult()
  /// What was taken and not admitted yet, or is about to be taken with its batch.
  private var taken: Set<FullEventID> = []
  /// What stands in the journal already, in batches without an end.
  private let waiting: Set<WaitingLines.Key>
  /// What is known to be missing of the journal's own device.
  private let ownGaps: [EventRange]
  /// The lines of a batch, until its end comes.
  private var open = ScannedBlock()
  private var openEvents: [FullEventID] = []
  private var isDelivering = false

  init(batch: JournalBatch<Sink>, terms: ReceivingTerms) {
    self.batch = batch
    self.terms = terms
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
    if !openEvents.isEmpty, !continues(openEvents[openEvents.count - 1], layout, device) {
      // What follows is missing for the sender; else the lines wait for it.
      deliverOpenBatch()
    }
    if batch.pass.ledger.holds(event) || taken.contains(event) || isWaiting(event) {
      result.heldCount += 1
      return
    }
    if let code = refusal(of: event, layout, canonical) {
      if tellsOfLaterOwn(event, layout, canonical) { noteDuplicateWriter() }
      leaveOpenBatch()
      return result.refuse(.init(device: device, sequence: layout.sequence, code: code))
    }
    // An event of a batch waits for the end, unless that is held: some line here goes on from it.
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

  /// Behind the last line.
  mutating func finish() {
    guard let last = openEvents.last else { return }
    if terms.isBeforeGap(last) { deliverOpenBatch() } else { leaveOpenBatch() }
  }

  // MARK: - Batches

  /// Whether an event stands in the journal already, in a batch without an end.
  private func isWaiting(_ event: FullEventID) -> Bool {
    guard !waiting.isEmpty, let device = batch.pass.ledger.find(event.device) else { return false }
    return waiting.contains(
      .init(device: Int32(device), sequence: event.sequence, chain: event.chain))
  }

  private func continues(
    _ last: FullEventID, _ layout: LineLayout, _ device: DeviceID
  ) -> Bool {
    last.device == device && last.sequence + 1 == layout.sequence
      && last.chain == layout.checksum.before
  }

  private mutating func leaveOpenBatch() {
    taken.subtract(openEvents)
    openEvents = []
    open = ScannedBlock()
  }

  private mutating func deliverOpenBatch() {
    if openEvents.isEmpty { return }
    let lines = open
    leaveOpenBatch()
    isDelivering = true
    lines.deliver(into: &self)
    isDelivering = false
  }

  private mutating func take(
    _ event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) {
    let isDuplicateWriter = event.device == batch.recordedDevice && !isRefill(event)
    let offset = batch.start + Int64(batch.bytes.count)
    batch.pass.event(
      layout, canonical: canonical, line: line,
      at: LinePosition(
        number: batch.pass.nextLineNumber, offset: offset, byteCount: line.count,
        endOffset: offset + Int64(line.count) + 1, isTerminated: true))
    if isDuplicateWriter { noteDuplicateWriter() }
    batch.pass.nextLineNumber += 1
    line.append(to: &batch.bytes)
    batch.bytes.append(0x0A)
    if !batch.pass.ledger.holds(event) { taken.insert(event) }
    result.received.insert(event, after: layout.checksum.before)
  }

  // MARK: - Checks

  /// Why a line cannot be taken; nil where it can.
  private func refusal(
    of event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> JournalProblem.Code? {
    if terms.isOtherThanStated(event) { return .otherThanStated }
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

  /// Whether an event that a line needs is held, was taken, or is missing for the sender too.
  private func isMet(_ event: FullEventID) -> Bool {
    taken.contains(event) || terms.missing.contains(event)
      || batch.pass.ledger.locate(event) != nil || isWaiting(event)
  }

  private func userRefusal(
    of event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> JournalProblem.Code? {
    let ledger = batch.pass.ledger
    let number = ledger.find(event.device)
    if layout.sequence > 1 {
      // Where its joining is missing, for the sender too, it belongs.
      return number.map { ledger.devices[$0].isForeign } ?? false ? .otherUser : nil
    }
    guard let joining = Joining(layout, canonical) else { return .notJoined }
    if ledger.user == nil, let user = batch.options.user, !user.utf8.elementsEqual(joining.user) {
      return .otherUser
    }
    // Also where another first event of the device belongs: it could take the journal over.
    return ledger.users.belongs(joining.user) ? nil : .otherUser
  }

  // MARK: - Own events from elsewhere

  private mutating func noteDuplicateWriter() {
    batch.hasDuplicateWriter = true
    result.hasDuplicateWriter = true
  }

  /// Whether an event of the own device is one of those that are known to be missing here.
  private func isRefill(_ event: FullEventID) -> Bool {
    ownGaps.contains {
      ($0.first...$0.last).contains(event.sequence)
        && (event.sequence < $0.last || event.chain == $0.chain)
    }
  }

  /// Whether a sound line that is not taken shows that there are events of this journal's own
  /// device that it does not hold: it is one, or has seen one.
  private func tellsOfLaterOwn(
    _ event: FullEventID, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Bool {
    guard let own = batch.recordedDevice else { return false }
    if event.device == own { return !isRefill(event) }
    return layout.seen.contains { entry in
      guard canonical.text(entry.device) == own.text else { return false }
      let seen = FullEventID(device: own, sequence: entry.sequence, chain: entry.chain)
      return batch.pass.ledger.locate(seen) == nil && !taken.contains(seen)
    }
  }
}
