import EventLog

extension Journal {
  /// Returns the current state, and the state that some erasures would leave.
  ///
  /// - Throws: The errors of ``snapshot(at:includingDeleted:)``.
  func states(
    erasing statements: [Erasures.Statement]
  ) throws(EventLogError) -> (before: Snapshot, after: Snapshot) {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    func state(_ pass: JournalPass<Fold>) -> Snapshot {
      Snapshot(fold: pass.sink, ledger: pass.ledger, damage: [], bases: ConflictBases())
    }
    let (before, _) = try read(file, into: Fold(catalog))
    var begun = before.ledger.begun
    begun.erasures.assume(statements, in: before.ledger)
    let (after, _) = try read(file, from: JournalPass(sink: Fold(catalog), after: begun))
    return (state(before), state(after))
  }
}
