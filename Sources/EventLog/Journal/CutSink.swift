/// A cut whose clocks are known.
package struct ResolvedCut: Sendable {
  /// Milliseconds since 1970.
  var time: Int64?
  /// The events that count; nil: all.
  var clock: VectorClock?
}

/// Lets through to another sink what lies within a cut.
package struct CutSink<Inner: EventSink>: EventSink {
  package private(set) var inner: Inner
  private let cut: ResolvedCut
  /// Per device of the ledger how far the cut's clock goes.
  private var limits: [Int64] = []
  /// Per device of the ledger the highest sequence let through.
  private var highest: [Int64] = []

  package init(_ inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
  }

  /// The highest sequences let through.
  package func frontier(_ ledger: Ledger) -> VectorClock {
    VectorClock(highest.indices.map { (DeviceID(trusted: ledger.name($0)), highest[$0]) })
  }

  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    inner.wantsData(layout, canonical: canonical)
  }

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    if let time = cut.time {
      guard layout.version == 1, layout.atMilliseconds <= time else { return }
    }
    if let clock = cut.clock {
      while limits.count <= device {
        limits.append(clock[DeviceID(trusted: ledger.name(limits.count))])
      }
      guard layout.sequence <= limits[device] else { return }
    }
    while highest.count <= device { highest.append(0) }
    highest[device] = layout.sequence
    inner.apply(
      layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
  }
}

/// Takes nothing: for a reading whose ledger is all that is wanted.
struct NoSink: EventSink {
  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {}
}
