import EventLog

/// Folds a journal twice: as it is, and without what some statements erase.
struct ErasedStates: EventSink, LineSink {
  @Boxed private(set) var before: Fold
  @Boxed private(set) var after: Fold
  private let extents: [FullEventID: Erasures.Extent]
  private let chains: Set<UInt32>
  /// The context of the event whose erased form is scanned.
  private var context: (branch: Int, ledger: Ledger)?

  init(
    _ catalog: SchemaCatalog, erasing statements: [Erasures.Statement], knowing ledger: Ledger
  ) {
    (before, after) = (Fold(catalog), Fold(catalog))
    var erasures = ledger.begun.erasures
    erasures.assume(statements, in: ledger)
    extents = erasures.extents
    chains = Set(extents.keys.map(\.chain))
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    before.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    guard chains.contains(layout.checksum.chain),
      let extent = extents[FullEventID(layout, canonical)],
      let erased = ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: extent)
    else {
      return after.apply(
        layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    }
    context = (branch, ledger)
    // Else the next change of the ledger would copy it.
    defer { context = nil }
    var scanner = LineScanner()
    scanner.scan(
      erased + [0x0A], at: position.offset, number: position.number, into: &self)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let (branch, ledger) = context else { return }
    after.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

extension Journal {
  /// Returns the current state, and the state that some erasures would leave.
  ///
  /// - Parameter ledger: The ledger of an earlier reading, which contains the erased events.
  /// - Throws: The errors of ``snapshot(at:includingDeleted:)``.
  func states(
    erasing statements: [Erasures.Statement], knowing ledger: Ledger
  ) throws(EventLogError) -> (before: Snapshot, after: Snapshot) {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let states = ErasedStates(catalog, erasing: statements, knowing: ledger)
    let (pass, _) = try read(file, from: JournalPass(sink: states, after: ledger.begun))
    func state(_ fold: Fold) -> Snapshot {
      Snapshot(fold: fold, ledger: pass.ledger, damage: [], bases: ConflictBases())
    }
    return (state(pass.sink.before), state(pass.sink.after))
  }
}
