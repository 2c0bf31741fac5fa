extension JournalBatch {
  /// Adds lines of another journal as they stand, in an order that respects causality.
  ///
  /// Each is checked completely before anything of it is applied: its bytes, its place in its
  /// device's sequence and chain, that all it has seen is held, and whose it is. What cannot be
  /// taken is refused by itself, and with it what follows from it; lines that are held are passed
  /// over, so that receiving again changes nothing.
  ///
  /// - Parameters:
  ///   - lines: each ended by LF.
  ///   - terms: what of them may be taken.
  package mutating func receive(
    _ lines: [UInt8], on terms: ReceivingTerms = ReceivingTerms()
  ) -> Reception {
    var gate = ReceivingGate(batch: self, terms: terms)
    var scanner = LineScanner()
    scanner.scanLines(lines, into: &gate)
    self = gate.batch
    return gate.reception
  }
}

/// Stands between lines from elsewhere and a batch.
private struct ReceivingGate<Sink: EventSink>: LineSink {
  var batch: JournalBatch<Sink>
  let terms: ReceivingTerms
  var reception = Reception()

  init(batch: JournalBatch<Sink>, terms: ReceivingTerms) {
    self.batch = batch
    self.terms = terms
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let device = DeviceID(trusted: canonical.text(layout.device))
    switch fit(layout, of: device, canonical) {
    case .held: reception.heldCount += 1
    case .refused(let code):
      if tellsOfLaterOwn(layout, of: device, canonical) { noteTwin() }
      reception.refuse(.init(device: device, sequence: layout.sequence, code: code))
    case .next:
      let offset = batch.start + Int64(batch.bytes.count)
      batch.pass.event(
        layout, canonical: canonical, line: line,
        at: LinePosition(
          number: batch.pass.nextLineNumber, offset: offset, byteCount: line.count,
          endOffset: offset + Int64(line.count) + 1, isTerminated: true))
      if device == batch.recordedDevice { noteTwin() }
      batch.pass.nextLineNumber += 1
      line.append(to: &batch.bytes)
      batch.bytes.append(0x0A)
      reception.received.insert(EventID(device: device, sequence: layout.sequence))
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    reception.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }

  private func fit(
    _ layout: LineLayout, of device: DeviceID, _ canonical: Span<UInt8>
  ) -> Ledger.Fit {
    if isDisputed(layout, of: device, canonical) { return .refused(.fork) }
    let fit = batch.pass.ledger.fit(layout, canonical: canonical)
    if fit != .held,
      terms.isOtherThanStated(EventID(device: device, sequence: layout.sequence), layout.checksum)
    {
      return .refused(.otherThanStated)
    }
    // The first device of a new journal says whose it is: that must be who was announced.
    if fit == .next, batch.pass.ledger.user == nil, let user = batch.options.user,
      let joined = Ledger.Joining(layout, canonical), !joined.user.utf8.elementsEqual(user.utf8)
    {
      return .refused(.otherUser)
    }
    return fit
  }

  private mutating func noteTwin() {
    batch.hasOwnFromElsewhere = true
    reception.hasTwin = true
  }

  /// Whether a sound line that is not taken shows that there are events of this journal's own
  /// device that it does not hold: it is one, or has seen one.
  private func tellsOfLaterOwn(
    _ layout: LineLayout, of device: DeviceID, _ canonical: Span<UInt8>
  ) -> Bool {
    guard let own = batch.recordedDevice else { return false }
    let state = batch.pass.ledger.find(own).map { batch.pass.ledger.devices[$0] }
    let last = state?.last ?? 0
    if device == own {
      return layout.sequence > last
        || layout.sequence == last && layout.checksum != state?.checksum
    }
    return layout.seen.contains { entry in
      entry.sequence > last && DeviceID(trusted: canonical.text(entry.device)) == own
    }
  }

  private func isDisputed(
    _ layout: LineLayout, of device: DeviceID, _ canonical: Span<UInt8>
  ) -> Bool {
    let disputed = terms.disputed
    if disputed.isEmpty { return false }
    if let first = disputed[device], layout.sequence >= first { return true }
    return layout.seen.contains { entry in
      guard let first = disputed[DeviceID(trusted: canonical.text(entry.device))] else {
        return false
      }
      return entry.sequence >= first
    }
  }
}
