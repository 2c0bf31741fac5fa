/// Folds a store's events into the state of the collections, and into the app's own projections.
package struct StoreSink: EventSink {
  package var fold: Fold
  var projections: [any Projection]
  /// Whether it skips all events.
  private let isIdle: Bool

  init(_ catalog: SchemaCatalog, _ projections: [any Projection.Type]) {
    fold = Fold(catalog)
    fold.refs = ByteInterner()
    self.projections = projections.map { $0.init() }
    isIdle = false
  }

  /// The sink of a store without observers.
  init() {
    (fold, projections, isIdle) = (Fold(SchemaCatalog()), [], true)
  }

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { !isIdle }

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    if isIdle { return }
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    if projections.isEmpty { return }
    let event = Event(layout, canonical: canonical)
    for index in projections.indices { projections[index].apply(event) }
  }

  package func checkInvariants(_ ledger: Ledger) {
    if !isIdle { fold.checkInvariants(ledger) }
  }
}
