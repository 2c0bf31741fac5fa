/// A cut whose clocks are known.
package struct ResolvedCut: Sendable {
  /// Milliseconds since 1970.
  var time: Int64?
  /// The events that count, under whichever name they were seen; nil: all.
  var clock: VectorClock?
  /// The lines that are meant; nil: all.
  var lines: VectorClock?
}

/// Lets through to another sink what lies within a cut.
///
/// Of an event that stands there under two names, the first in the file counts, and the cut may be
/// one that holds the other. So what counts is not quite what is held, and both are told.
package struct CutSink<Inner: EventSink>: EventSink {
  package private(set) var inner: Inner
  private let cut: ResolvedCut
  /// Whether the sink is given the lines that are held, instead of the events that count.
  private let isOfLines: Bool
  /// Per device of the ledger how far the cut's clock goes, for what counts and for lines.
  private var limits: [(events: Int64, lines: Int64)] = []
  /// Per device of the ledger the highest sequence held.
  private var highest: [Int64] = []
  /// Per device the first sequence that was kept back; 0 where none was.
  private var firstKeptBack: [Int64] = []
  /// How many lines are held.
  package private(set) var eventCount = 0

  /// Lets through the events that count.
  package init(_ inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
    isOfLines = false
  }

  /// Lets through the lines that are held, also of events that stand there a second time.
  package init(lines inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
    isOfLines = true
  }

  /// The highest sequences held.
  package func frontier(_ ledger: Ledger) -> VectorClock {
    VectorClock(highest.indices.map { (DeviceID(trusted: ledger.name($0)), highest[$0]) })
  }

  /// How far each device is held without a gap: what whoever looks at the cut has seen.
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
    let found = find(layout, device, ledger)
    guard isOfLines ? found.isHeld : found.counts else { return }
    inner.apply(
      layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
  }

  package mutating func applyRepeated(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    guard find(layout, device, ledger).isHeld, isOfLines else { return }
    inner.applyRepeated(
      layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
  }

  /// Whether the event counts, and whether its line is held.
  private mutating func find(
    _ layout: LineLayout, _ device: Int, _ ledger: Ledger
  ) -> (counts: Bool, isHeld: Bool) {
    while limits.count <= device {
      let id = DeviceID(trusted: ledger.name(limits.count))
      limits.append((cut.clock?[id] ?? .max, cut.lines?[id] ?? .max))
      highest.append(0)
      firstKeptBack.append(0)
    }
    let isInTime =
      cut.time.map { layout.version == 1 && layout.atMilliseconds <= $0 } ?? true
    let isHeld = isInTime && layout.sequence <= limits[device].lines
    if isHeld {
      highest[device] = layout.sequence
      eventCount += 1
    } else if firstKeptBack[device] == 0 {
      firstKeptBack[device] = layout.sequence
    }
    return (isInTime && layout.sequence <= limits[device].events, isHeld)
  }
}
