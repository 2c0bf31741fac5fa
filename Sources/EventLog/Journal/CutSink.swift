/// The extent of a cut in each history.
struct CutClock: Sendable {
  /// The ledger in which the tips of the cut were resolved.
  let ledger: Ledger
  /// For each branch, the highest sequence in the cut.
  let limits: [Int64]

  /// Whether the cut contains the event.
  func contains(_ event: Ledger.Point, of other: Ledger) -> Bool {
    // Readings of one journal may number its branches in different ways.
    guard let point = ledger.translated(event, from: other) else { return false }
    return Int(point.branch) < limits.count && point.sequence <= limits[Int(point.branch)]
  }
}

/// Passes the events within a cut to another sink.
package struct CutSink<Inner: EventSink>: EventSink {
  package private(set) var inner: Inner
  private let cut: ResolvedCut
  /// For each branch, the highest sequence that was passed on.
  private var highest: [Int64] = []
  /// For each branch, the first sequence that was not passed on, or 0.
  private var firstKeptBack: [Int64] = []
  /// The number of events passed on.
  package private(set) var eventCount = 0

  package init(_ inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
  }

  /// The tips of the events passed on.
  package func frontier(_ ledger: Ledger) -> VectorClock {
    var isTip = highest.map { $0 > 0 }
    for branch in highest.indices where highest[branch] > 0 {
      var (parent, after) = (ledger.branches[branch].parent, ledger.branches[branch].after)
      while parent >= 0 {
        if Int(parent) < highest.count, highest[Int(parent)] > 0 {
          if highest[Int(parent)] <= after { isTip[Int(parent)] = false }
          break
        }
        (parent, after) = (ledger.branches[Int(parent)].parent, ledger.branches[Int(parent)].after)
      }
    }
    return VectorClock(
      highest.indices.filter { isTip[$0] }.map {
        ledger.fullID(.init(branch: Int32($0), sequence: highest[$0]))
      })
  }

  /// For each branch, the last event before the first gap: what a viewer of the cut has seen.
  ///
  /// A cut by time leaves out events from a clock that was ahead, but may include later events of
  /// the same device.
  package var limits: [Int64] {
    highest.indices.map { branch in
      min(highest[branch], firstKeptBack[branch] == 0 ? .max : firstKeptBack[branch] - 1)
    }
  }

  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    inner.wantsData(layout, canonical: canonical)
  }

  package var isFull: Bool { inner.isFull }

  package mutating func restart(_ blank: Self) {
    inner.restart(blank.inner)
    self = CutSink(inner, cut)
  }

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard isHeld(layout, branch, ledger) else { return }
    inner.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }

  private mutating func isHeld(_ layout: LineLayout, _ branch: Int, _ ledger: Ledger) -> Bool {
    while highest.count <= branch {
      highest.append(0)
      firstKeptBack.append(0)
    }
    let isHeld = cut.contains(
      .init(branch: Int32(branch), sequence: layout.sequence),
      at: layout.version == 1 ? layout.atMilliseconds : nil, of: ledger)
    if isHeld {
      highest[branch] = layout.sequence
      eventCount += 1
    } else if firstKeptBack[branch] == 0 {
      firstKeptBack[branch] = layout.sequence
    }
    return isHeld
  }
}
