/// The state that the user of a write had seen, to refuse the write if it would replace anything
/// else.
///
/// *Seen by the device* is not *seen by the user*: a sync may receive a value while a form is open.
/// A value that the writer can't read can't have been seen either.
struct ReadVersion {
  /// The state that a user had seen.
  struct Clock: Sendable {
    /// The state that was shown, or nil if everything counts as seen that can be read.
    var state: Snapshot?
    /// Whether an unseen value is refused even if the event would write the same value: true for
    /// values that were computed from the shown state.
    var countsEqual = false
    /// Whether the writer can read all of a value; nil if the schema alone determines that.
    var canRead: OverwrittenWrites.Reading?
    /// Whether a write may be replaced anyway.
    var mayReplace: @Sendable (UnseenWrite) -> Bool = { _ in false }
  }

  private let clock: Clock
  /// The last event of the writing history before this request. Later events of this history are
  /// the request's own.
  private let own: Ledger.Point?
  private let device: DeviceID?

  init(_ clock: Clock, _ batch: JournalBatch<StoreSink>) {
    self.clock = clock
    device = batch.device
    own = batch.device.flatMap { batch.pass.ledger.ends(of: $0).first }
  }

  /// - Throws: `changedMeanwhile`, with the unseen writes that would be replaced.
  func check(
    _ draft: EventDraft, in batch: JournalBatch<StoreSink>
  ) throws(EventLogError) {
    if !needsCheck(draft, in: batch.pass.sink.fold) { return }
    var probe = ReplacementProbe(
      replacements: OverwrittenWrites(
        in: batch.pass.sink.fold, batch.pass.ledger, countsEqual: clock.countsEqual,
        canRead: clock.canRead, isSeen: { isSeen($0, batch) }))
    try batch.examine(draft, with: &probe)
    let unseen = probe.replacements.found.filter { !clock.mayReplace($0) }
    let unreadable = probe.replacements.unreadable.filter {
      !clock.mayReplace($0) && !unseen.contains(write: $0)
    }
    if let first = unseen.first {
      throw EventLogError(
        .changedMeanwhile,
        "\(draft.type) would replace \(first.field) of \(first.entity), which \(first.event) wrote"
          + " after this was decided. Nothing was written.",
        hint: "Look at the current value, then decide again.", unseen: unseen + unreadable)
    }
    if let first = unreadable.first {
      throw EventLogError(
        .changedMeanwhile,
        "\(draft.type) would replace \(first.field) of \(first.entity), which \(first.event) wrote"
          + " and this version can't read in full. Nothing was written.",
        hint: EventLogError.AppHint.unreadable, unseen: unreadable)
    }
  }

  /// Whether the event may replace anything unseen or unreadable. Most journals contain no value
  /// that breaks a rule.
  private func needsCheck(_ draft: EventDraft, in fold: Fold) -> Bool {
    if clock.state != nil || clock.canRead != nil || !fold.doubtfulRegisters.isEmpty { return true }
    let members = fold.catalog.type(draft.type)?.event.members ?? []
    return members.contains { if case .set = $0.role { true } else { false } }
  }

  private func isSeen(_ dot: Dot, _ batch: JournalBatch<StoreSink>) -> Bool {
    guard let state = clock.state else { return true }
    if let own, own.branch == dot.branch, dot.sequence > own.sequence { return true }
    let event = batch.pass.ledger.fullID(dot.point)
    // If there was no device before the request, the request began this one.
    if device == nil, event.device == batch.device { return true }
    return state.hasSeen(event)
  }
}

/// Finds the writes that an event would replace if it were applied.
private struct ReplacementProbe: LineSink {
  var replacements: OverwrittenWrites

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    replacements.add(layout, canonical)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
