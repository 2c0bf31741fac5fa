/// What became of lines from another journal.
package struct Reception: Sendable {
  /// The events taken, in their order.
  package var received: [EventID] = []
  /// How many were held already.
  package var heldCount = 0
  /// What was refused, and why; the rest was taken.
  package var refused: [Refusal] = []

  package init() {}

  /// A line that was not taken.
  package struct Refusal: Sendable, Hashable {
    /// Nil for a line that is no event.
    package var event: EventID?
    package var code: JournalProblem.Code
  }
}

extension JournalBatch {
  /// Adds lines of another journal as they stand, in an order that respects causality.
  ///
  /// Each is checked completely before anything of it is applied: its bytes, its place in its
  /// device's sequence and chain, that all it has seen is held, and whose it is. What cannot be
  /// taken is refused by itself, and with it what follows from it; lines that are held are passed
  /// over, so that receiving again changes nothing.
  package mutating func receive(_ lines: [[UInt8]]) -> Reception {
    var gate = ReceivingGate(batch: self)
    var scanner = LineScanner()
    for line in lines {
      scanner.scan(
        line.last == 0x0A ? line : line + [0x0A], at: gate.offset,
        number: gate.batch.pass.nextLineNumber, into: &gate)
    }
    self = gate.batch
    return gate.reception
  }
}

/// Stands between lines from elsewhere and a batch.
private struct ReceivingGate<Sink: EventSink>: LineSink {
  var batch: JournalBatch<Sink>
  var reception = Reception()

  var offset: Int64 { batch.start + Int64(batch.bytes.count) }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let id = EventID(
      device: DeviceID(trusted: String(decoding: canonical.copy(layout.device), as: UTF8.self)),
      sequence: layout.sequence)
    switch batch.pass.ledger.fit(layout, canonical: canonical) {
    case .held: reception.heldCount += 1
    case .refused(let code): reception.refused.append(.init(event: id, code: code))
    case .next:
      batch.pass.event(layout, canonical: canonical, line: line, at: position)
      batch.pass.nextLineNumber += 1
      batch.bytes += line.copy()
      batch.bytes.append(0x0A)
      reception.received.append(id)
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    reception.refused.append(.init(event: nil, code: .line(fault.code)))
  }
}
