/// The state of a journal as a checkpoint tells it.
struct StoredState {
  /// The names of a checkpoint's parts.
  private enum Part {
    static let reading = "reading"
    static let ledger = "ledger"
    static let fold = "fold"
    static let bases = "bases"
  }

  let checkpoint: Checkpoint
  /// The length of the checkpoint's file.
  private(set) var byteCount = 0
  let fold: Fold
  let ledger: Ledger
  /// The bases of its conflicts; nil where they are not told.
  let bases: ConflictBases?

  /// Reads the checkpoint beside a journal; nil if there is none that fits.
  init?(beside file: JournalFile, _ catalog: SchemaCatalog, _ fileSystem: any FileSystem) {
    guard
      let bytes = SideFolder(beside: file.path, fileSystem: fileSystem).readCheckpoint(),
      let checkpoint = try? Checkpoint(sealed: bytes),
      checkpoint.origin.definition == Fold.definition(catalog),
      checkpoint.origin.stands(in: file, fileSystem),
      let state = try? StoredState(checkpoint, catalog)
    else { return nil }
    self = state
    byteCount = bytes.count
  }

  /// - Throws: `ColumnFault` where a part that must be there is missing or wrong.
  init(_ checkpoint: Checkpoint, _ catalog: SchemaCatalog) throws(ColumnFault) {
    self.checkpoint = checkpoint
    ledger = try checkpoint.read(Part.ledger) { (decoder) throws(ColumnFault) in
      try Ledger(from: &decoder)
    }
    let deviceCount = ledger.devices.count
    fold = try checkpoint.read(Part.fold) { (decoder) throws(ColumnFault) in
      try Fold(catalog, from: &decoder, deviceCount: deviceCount)
    }
    bases = try? checkpoint.read(Part.bases) { (decoder) throws(ColumnFault) in
      try ConflictBases(from: &decoder, deviceCount: deviceCount)
    }
  }

  /// The reading that goes on behind the checkpoint.
  func pass<Sink: EventSink>(_ sink: Sink) throws(ColumnFault) -> JournalPass<Sink> {
    let ledger = ledger
    let pass = try checkpoint.read(Part.reading) { (decoder) throws(ColumnFault) in
      try JournalPass(from: &decoder, ledger: ledger, sink: sink)
    }
    guard pass.endOffset == checkpoint.origin.offset else { throw ColumnFault() }
    return pass
  }

  /// A checkpoint of a reading; `bases` is nil where they are not those of its conflicts.
  static func checkpoint<Sink: EventSink>(
    of pass: JournalPass<Sink>, _ fold: Fold, _ bases: ConflictBases?,
    _ origin: Checkpoint.Origin
  ) -> Checkpoint {
    var checkpoint = Checkpoint(origin: origin)
    checkpoint.add(Part.reading) { pass.encode(into: &$0) }
    checkpoint.add(Part.ledger) { pass.ledger.encode(into: &$0) }
    checkpoint.add(Part.fold) { fold.encode(into: &$0) }
    if let bases { checkpoint.add(Part.bases) { bases.encode(into: &$0) } }
    return checkpoint
  }
}
