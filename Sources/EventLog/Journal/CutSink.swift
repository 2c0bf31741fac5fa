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
  /// Per device the first sequence that was kept back; 0 where none was.
  private var firstKeptBack: [Int64] = []

  package init(_ inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
  }

  /// The highest sequences let through.
  package func frontier(_ ledger: Ledger) -> VectorClock {
    VectorClock(highest.indices.map { (DeviceID(trusted: ledger.name($0)), highest[$0]) })
  }

  /// How far each device was let through without a gap: what whoever looks at the cut has seen.
  ///
  /// A cut by time leaves out what a clock that was ahead had written, and may take what its device
  /// wrote after that.
  package func held(_ ledger: Ledger) -> VectorClock {
    VectorClock(
      highest.indices.map { device in
        let end = firstKeptBack[device] == 0 ? Int64.max : firstKeptBack[device] - 1
        return (DeviceID(trusted: ledger.name(device)), min(highest[device], end))
      })
  }

  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    inner.wantsData(layout, canonical: canonical)
  }

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    while highest.count <= device {
      highest.append(0)
      firstKeptBack.append(0)
    }
    guard holds(layout, device, ledger) else {
      if firstKeptBack[device] == 0 { firstKeptBack[device] = layout.sequence }
      return
    }
    highest[device] = layout.sequence
    inner.apply(
      layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
  }

  private mutating func holds(_ layout: LineLayout, _ device: Int, _ ledger: Ledger) -> Bool {
    if let time = cut.time, layout.version != 1 || layout.atMilliseconds > time { return false }
    guard let clock = cut.clock else { return true }
    while limits.count <= device {
      limits.append(clock[DeviceID(trusted: ledger.name(limits.count))])
    }
    return layout.sequence <= limits[device]
  }
}
