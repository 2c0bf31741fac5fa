/// How far a cut goes along each history.
struct CutClock: Sendable {
  /// What the tips of the cut were resolved in.
  let ledger: Ledger
  /// Per branch the highest sequence that is in the cut.
  let limits: [Int64]

  /// Whether the event is in the cut.
  func contains(_ event: Ledger.Point, of other: Ledger) -> Bool {
    // Readings of one journal may number its branches in different ways.
    guard let point = ledger.translated(event, from: other) else { return false }
    return Int(point.branch) < limits.count && point.sequence <= limits[Int(point.branch)]
  }
}

/// Lets through to another sink what lies within a cut.
package struct CutSink<Inner: EventSink>: EventSink {
  package private(set) var inner: Inner
  private let cut: ResolvedCut
  /// Per branch the highest sequence that was let through.
  private var highest: [Int64] = []
  /// Per branch the first sequence that was kept back; 0 where none was.
  private var firstKeptBack: [Int64] = []
  /// How many events were let through.
  package private(set) var eventCount = 0

  package init(_ inner: Inner, _ cut: ResolvedCut) {
    self.inner = inner
    self.cut = cut
  }

  /// The tips of what was let through.
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

  /// Per branch up to where it is held without a gap: what whoever looks at the cut has seen.
  ///
  /// A cut by time leaves out what a clock that was ahead had written, and may take what its device
  /// wrote after that.
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
