/// The lines of a batch, each with its event.
package struct SplitBatch: Sendable {
  package private(set) var lines: [Line] = []
  /// The result if all valid lines are accepted.
  package private(set) var result = ReceiveResult()

  package struct Line: Sendable {
    package var event: FullEventID
    package var checksum: LineChecksum
    /// Whether the next event is in the same batch of events.
    package var hasMore: Bool
    /// The line with its LF.
    package var bytes: [UInt8]
  }

  package init(_ batch: LineBatch) {
    var scanner = LineScanner()
    scanner.scanLines(batch.bytes, into: &self)
  }
}

extension SplitBatch: LineSink {
  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
    lines.append(
      .init(
        event: event, checksum: layout.checksum, hasMore: layout.hasMore,
        bytes: line.copy() + [0x0A]))
    result.received.insert(event, after: layout.checksum.before)
  }

  package mutating func fault(
    _ fault: LineFault, line: Span<UInt8>, at position: LinePosition
  ) {
    result.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }
}
