/// What the person behind a write had seen, and whether the write would replace something else.
///
/// *Seen by the device* is not *seen by the person*: a sync may bring a value in while a form is
/// open.
struct WriterView {
  /// What somebody had seen.
  struct Clock: Sendable {
    /// Per device the last event seen.
    var entries: VectorClock
    /// Whether a value that he had not seen stands in the way even where he would write the same:
    /// so it is for one that was computed from what he had seen.
    var countsEqual = false
  }

  private let countsEqual: Bool
  private let ledger: Ledger
  /// Per device of the ledger the last sequence seen.
  private let seen: [Int64]
  /// The device that writes, and its last event before this request: its later ones are the
  /// request's own.
  private let own: (device: Int, last: Int64)?

  init(_ clock: Clock, _ batch: JournalBatch<StoreSink>) {
    let ledger = batch.pass.ledger
    countsEqual = clock.countsEqual
    self.ledger = ledger
    seen = ledger.devices.indices.map { clock.entries[DeviceID(trusted: ledger.name($0))] }
    own = batch.device.flatMap { ledger.find($0) }.map { ($0, ledger.devices[$0].last) }
  }

  /// - Throws: `changedMeanwhile`, with what would be replaced unseen.
  func check(_ draft: EventDraft, in batch: JournalBatch<StoreSink>) throws(EventLogError) {
    var probe = ReplacementProbe(
      replacements: Replacements(
        in: batch.pass.sink.fold, batch.pass.ledger, countsEqual: countsEqual, isSeen: isSeen))
    try batch.examine(draft, with: &probe)
    let unseen = probe.replacements.found
    guard let first = unseen.first else { return }
    throw EventLogError(
      .changedMeanwhile,
      "\(draft.type) would replace \(first.field) of \(first.entity), written as \(first.event)"
        + " after this was decided. Nothing was written.",
      hint: "Look at the value that is there now, and decide again.", unseen: unseen)
  }

  private func isSeen(_ dot: Dot) -> Bool {
    ledger.isAny(of: dot.device, dot.sequence) { device, sequence in
      let device = Int(device)
      if let own, own.device == device, sequence > own.last { return true }
      // A device that the ledger has come to know since is one that the request began.
      return device >= seen.count || sequence <= seen[device]
    }
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
