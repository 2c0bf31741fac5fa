/// One of two compared journals, read to its end.
package struct ComparedJournal: Sendable {
  package let journal: Journal
  let file: JournalFile
  @Boxed private(set) var pass: JournalPass<Fold>
  let end: JournalReading.End

  init(
    _ journal: Journal, _ file: JournalFile, _ pass: JournalPass<Fold>,
    _ end: JournalReading.End
  ) {
    self.journal = journal
    self.file = file
    self.pass = pass
    self.end = end
  }

  package var ledger: Ledger { pass.ledger }
  package var fold: Fold { pass.sink }
  package var findings: JournalFindings { pass.report }
  package var warnings: [JournalProblem] { journal.tailProblems(end) }
  /// The end of the lines that were read.
  var size: Int64 { end.lacksLineFeed ? end.size : pass.endOffset }

  package func reader(_ ranges: [EventRange]) -> RangeReader {
    RangeReader(
      ranges, path: journal.path, file: file.descriptor, fileSystem: journal.fileSystem,
      ledger: ledger, size: size)
  }

  var rereading: JournalRereading {
    JournalRereading(
      JournalReading(
        path: journal.path, fileSystem: journal.fileSystem, file: file.descriptor),
      upTo: size, after: pass)
  }

  /// The state without the bases of its conflicts, which a comparison doesn't need.
  package var snapshot: Snapshot {
    Snapshot(fold: pass.sink, ledger: ledger, damage: [], bases: ConflictBases())
  }
}
