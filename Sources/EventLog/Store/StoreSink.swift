/// What a store folds events into: the collections, and the projections of the app's own.
struct StoreSink: EventSink {
  var fold: Fold
  var projections: [any Projection]

  init(_ catalog: SchemaCatalog, _ projections: [any Projection.Type]) {
    fold = Fold(catalog)
    fold.refs = ByteInterner()
    self.projections = projections.map { $0.init() }
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    if projections.isEmpty { return }
    let event = Event(layout, canonical: canonical)
    for index in projections.indices { projections[index].apply(event) }
  }

  func checkInvariants(_ ledger: Ledger) { fold.checkInvariants(ledger) }
}
