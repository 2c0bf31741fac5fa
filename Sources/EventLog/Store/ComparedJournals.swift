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
      options: JournalOptions(devicesMax: .max), start: pass.endOffset,
      startLine: pass.nextLineNumber)
    var reader = right.reader(ranges)
    let terms = ReceivingTerms(missing: right.ledger.missingRanges)
    var received = ReceiveResult()
    var lines: [UInt8] = []
    while let next = try reader.next() {
      received.add(try batch.receive(next.bytes, on: terms))
      lines += next.bytes
      batch.forgetBytes()
      if batch.pass.ledger.mustReread {
        // The received lines change what earlier lines had seen, so all lines are read again.
        var reread = left.rereading
        reread.further = lines
        batch.pass = try reread.pass(Fold(left.pass.sink.catalog), like: batch.pass)
      }
    }
    var merge = Merge(forks: batch.pass.ledger.forks)
    merge.refused = received.refused.map {
      .init(device: $0.device, sequence: $0.sequence, code: $0.code, by: .ours)
    }
    merge.conflicts = try conflicts(in: batch.pass, received: received.received.ranges)
    return merge
  }

  private func conflicts(
    in merged: JournalPass<Fold>, received: [EventRange]
  ) throws(EventLogError) -> [Conflict] {
    let (fold, ledger) = (merged.sink, merged.ledger)
    let known = [
      left.pass.sink.conflictCandidates(left.ledger),
      right.pass.sink.conflictCandidates(right.ledger),
    ]
    let new = fold.openConflicts(ledger, besides: known)
    if new.isEmpty { return [] }
    // Only new conflicts get their bases, because these may take a reading.
    var bases = ConflictBases()
    var reread = left.rereading
    reread.furtherRanges = right.reader(received)
    try bases.update(for: new, in: fold, ledger, reread: reread)
    return fold.conflicts(new, ledger, bases)
  }
}
