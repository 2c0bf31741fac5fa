/// Two copies of a journal, both read to their end.
package struct ComparedJournals: Sendable {
  @Boxed package private(set) var left: ComparedJournal
  @Boxed package private(set) var right: ComparedJournal

  /// The effects of a merge.
  package struct Merge: Sendable {
    /// Device IDs under which two copies have written, in both journals taken together.
    package fileprivate(set) var forks: [JournalFork] = []
    /// The conflicts that neither journal contains, or to which merging would add a candidate.
    package fileprivate(set) var conflicts: [Conflict] = []
    /// The events that the left journal would refuse.
    package fileprivate(set) var refused: [SyncReport.Refusal] = []
  }

  /// Adds events of the right journal to a copy of the left one's state, by the rules of a
  /// replication.
  ///
  /// - Parameter ranges: The events that only the right journal contains.
  package func merge(_ ranges: [EventRange]) throws(EventLogError) -> Merge {
    var pass = left.pass
    pass.sink.paginate()
    var batch = JournalBatch(
      pass: pass, path: left.journal.path, device: nil,
      options: JournalOptions(devicesMax: .max), start: left.size,
      startLine: pass.nextLineNumber)
    var (result, rest) = (ReceiveResult(), ranges)
    repeat {
      result = try receive(rest, into: &batch)
      rest = right.ledger.rest(of: rest, after: result.received.ranges)
      // A received adoption may admit users who were refused.
    } while !result.received.isEmpty && result.refused.contains { $0.code == .otherUser }
    var merge = Merge(forks: batch.pass.ledger.forks)
    merge.refused = result.refused.map {
      .init(device: $0.device, sequence: $0.sequence, code: $0.code, by: .ours)
    }
    merge.conflicts = try conflicts(in: batch)
    return merge
  }

  private func receive(
    _ ranges: [EventRange], into batch: inout JournalBatch<Fold>
  ) throws(EventLogError) -> ReceiveResult {
    var reader = right.reader(ranges)
    let filter = ReceiveFilter(missing: right.ledger.missingRanges)
    var received = ReceiveResult()
    while let next = try reader.next() {
      received.add(try batch.receive(next.bytes, on: filter))
      if batch.pass.ledger.mustReread {
        // The received lines change what earlier lines had seen, so all lines are read again.
        var reread = left.rereading
        reread.further = batch.bytes
        batch.pass = try reread.pass(Fold(left.pass.sink.catalog), like: batch.pass)
      }
    }
    return received
  }

  private func conflicts(
    in merged: JournalBatch<Fold>
  ) throws(EventLogError) -> [Conflict] {
    let (fold, ledger) = (merged.pass.sink, merged.pass.ledger)
    let known = [
      left.pass.sink.conflictCandidates(left.ledger),
      right.pass.sink.conflictCandidates(right.ledger),
    ]
    let new = fold.openConflicts(ledger, besides: known)
    if new.isEmpty { return [] }
    // Only new conflicts get their bases, because these may require another reading.
    var bases = ConflictBases()
    var reread = left.rereading
    reread.further = merged.bytes
    try bases.update(for: new, in: fold, ledger, reread: reread)
    return fold.conflicts(new, ledger, bases)
  }
}
