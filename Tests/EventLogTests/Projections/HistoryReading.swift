@testable import EventLog

/// Reads lines one by one, as a journal's reading does, but from memory: so that a test can stop
/// anywhere and look.
struct HistoryReading {
  var pass: JournalPass<Fold>
  private var scanner = LineScanner()

  init(_ catalog: SchemaCatalog = .withFood) {
    pass = JournalPass(sink: Fold(catalog))
  }

  init(_ pass: JournalPass<Fold>) { self.pass = pass }

  /// Reads one line with its LF.
  mutating func read(_ line: [UInt8]) {
    let offset = pass.endOffset
    scanner.scan(line, at: offset, number: pass.nextLineNumber, into: &pass)
    pass.endOffset = offset + Int64(line.count)
    pass.nextLineNumber += 1
  }

  mutating func read(_ lines: some Sequence<[UInt8]>) { for line in lines { read(line) } }

  /// The state, without the bases of conflicts.
  var snapshot: Snapshot {
    Snapshot(fold: pass.sink, ledger: pass.ledger, damage: [], bases: ConflictBases())
  }
}
