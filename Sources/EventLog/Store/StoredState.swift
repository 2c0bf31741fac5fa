/// The state of a journal in a checkpoint.
struct StoredState {
  /// The names of a checkpoint's additional parts.
  private enum Part {
    static let fold = "fold"
    static let bases = "bases"
  }

  let reading: CheckpointReading
  @Boxed private(set) var fold: Fold
  /// The bases of its conflicts, or nil if the checkpoint doesn't contain them.
  let bases: ConflictBases?

  var checkpoint: Checkpoint { reading.checkpoint }
  var ledger: Ledger { reading.ledger }

  /// Reads the checkpoint beside a journal, or returns nil if none fits.
  init?(beside file: JournalFile, _ catalog: SchemaCatalog, _ fileSystem: any FileSystem) {
    guard
      let reading = CheckpointReading(
        beside: file, SideFolder(beside: file.path, fileSystem: fileSystem),
        definition: Fold.definition(catalog)),
      let state = try? StoredState(reading, catalog)
    else { return nil }
    self = state
  }

  /// - Throws: `ColumnFault` if a required part is missing or invalid.
  init(_ checkpoint: Checkpoint, _ catalog: SchemaCatalog) throws(ColumnFault) {
    try self.init(CheckpointReading(checkpoint), catalog)
  }

  private init(_ reading: CheckpointReading, _ catalog: SchemaCatalog) throws(ColumnFault) {
    self.reading = reading
    let events = reading.ledger.sequences
    fold = try Fold(catalog, from: reading.checkpoint.part(Part.fold), events: events)
    bases = reading.checkpoint.parts[Part.bases].flatMap {
      try? ConflictBases(from: $0, events: events)
    }
  }

  /// The pass that continues after the checkpoint.
  func pass<Sink: EventSink>(
    _ sink: Sink, blank: Sink, user: String? = nil
  ) throws(ColumnFault) -> JournalPass<Sink> {
    guard let pass = reading.pass(sink, blank: blank, user: user) else { throw ColumnFault() }
    return pass
  }

  /// Returns a checkpoint of a reading. `bases` is nil if it isn't complete.
  static func checkpoint<Sink: EventSink>(
    of pass: JournalPass<Sink>, _ fold: Fold, _ bases: ConflictBases?,
    _ origin: Checkpoint.Origin
  ) -> Checkpoint {
    var checkpoint = CheckpointReading.checkpoint(of: pass, origin)
    checkpoint.parts[Part.fold] = fold.bytes(pass.ledger)[...]
    checkpoint.parts[Part.bases] = bases?.bytes[...]
    return checkpoint
  }
}
