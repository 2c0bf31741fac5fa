import EventLogTesting

@testable import EventLog

/// Reads the lines of a history from memory, so that a test can stop after any line.
typealias HistoryReading = LineReading<Fold>

/// Feeds lines from memory to a pass, as reading a journal would.
struct LineReading<Sink: EventSink> {
  var pass: JournalPass<Sink>
  private var scanner = LineScanner()
  private var lines: [[UInt8]] = []
  /// The number of the first line in `lines`.
  private let firstNumber: Int

  init(_ pass: JournalPass<Sink>) {
    self.pass = pass
    firstNumber = pass.nextLineNumber
  }

  init(_ sink: Sink, user: String?) {
    var pass = JournalPass(sink: sink)
    pass.ledger.users.explicitUser = user
    self.init(pass)
  }

  /// Reads a line with its LF, then settles as if the journal ended there.
  mutating func read(_ line: [UInt8]) { read([line]) }

  /// Reads lines, then settles as if the journal ended there.
  mutating func read(_ added: some Sequence<[UInt8]>) {
    for line in added { scan(line) }
    settle()
    // A reading that resumed after earlier lines doesn't have them, so it can't read again.
    if pass.ledger.mustReread, firstNumber == 1 {
      for _ in 0..<4 where pass.ledger.mustReread {
        let all = lines
        lines = []
        pass.restart()
        for line in all { scan(line) }
        settle()
      }
    }
    pass.ledger.mustReread = false
    // The check needs all lines, and a resumed reading lacks those before the stored state.
    if let fold = pass.sink as? Fold, firstNumber == 1 {
      precondition(fold.broken(pass.ledger) == [], "\(fold.broken(pass.ledger))")
    }
  }

  private mutating func scan(_ line: [UInt8]) {
    let offset = pass.endOffset
    scanner.scan(line, at: offset, number: pass.nextLineNumber, into: &pass)
    pass.endOffset = offset + Int64(line.count)
    pass.nextLineNumber += 1
    lines.append(line)
  }

  private mutating func settle() {
    let (lines, firstNumber) = (lines, firstNumber)
    pass.settle { position in
      position.number < firstNumber ? [0x0A] : lines[position.number - firstNumber]
    }
  }
}

extension LineReading<Fold> {
  init(_ catalog: SchemaCatalog = .withFood) {
    self.init(JournalPass(sink: Fold(catalog)))
  }

  /// The state, without the bases of conflicts.
  var snapshot: Snapshot {
    Snapshot(fold: pass.sink, ledger: pass.ledger, damage: [], bases: ConflictBases())
  }
}
