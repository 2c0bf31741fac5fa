/// What the person behind a write had seen, and whether the write would replace something else.
///
/// *Seen by the device* is not *seen by the person*: a sync may bring a value in while a form is
/// open.
struct WriterView {
  /// What somebody had seen.
  struct Clock: Sendable {
    /// The state that was shown.
    var state: Snapshot
    /// Whether a value that was not in it stands in the way even where the event would write the
    /// same: so it is for one that was computed from what was shown.
    var countsEqual = false
  }

  private let clock: Clock
  private let ledger: Ledger
  /// The history that writes, and its last event before this request: its later ones are the
  /// request's own.
  private let own: Ledger.Point?
  private let device: DeviceID?

  init(_ clock: Clock, _ batch: JournalBatch<StoreSink>) {
    self.clock = clock
    ledger = batch.pass.ledger
    device = batch.device
    own = batch.device.flatMap { batch.pass.ledger.ends(of: $0).first }
  }

  /// - Throws: `changedMeanwhile`, with what would be replaced unseen.
  func check(_ draft: EventDraft, in batch: JournalBatch<StoreSink>) throws(EventLogError) {
    var probe = ReplacementProbe(
      replacements: Replacements(
        in: batch.pass.sink.fold, batch.pass.ledger, countsEqual: clock.countsEqual,
        isSeen: { isSeen($0, batch) }))
    try batch.examine(draft, with: &probe)
    let unseen = probe.replacements.found
    guard let first = unseen.first else { return }
    throw EventLogError(
      .changedMeanwhile,
      "\(draft.type) would replace \(first.field) of \(first.entity), which \(first.event) wrote"
        + " after this was decided. Nothing was written.",
      hint: "Look at the current value, then decide again.", unseen: unseen)
  }

  private func isSeen(_ dot: Dot, _ batch: JournalBatch<StoreSink>) -> Bool {
    if let own, own.branch == dot.branch, dot.sequence > own.sequence { return true }
    let event = batch.pass.ledger.fullID(dot.point)
    // A device that has come since is one that the request began.
    if device == nil, event.device == batch.device { return true }
    return clock.state.hasSeen(event)
  }
}

/// Finds what an event would replace, were it applied.
private struct ReplacementProbe: LineSink {
  var replacements: Replacements

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    replacements.add(layout, canonical)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
