/// Reads the checkpoint of a store's journal at the start of a reading and writes a new one when
/// enough bytes follow the last one.
struct CheckpointKeeper {
  /// The minimum number of bytes between two checkpoints while a store is open.
  ///
  /// It is also at least the length of the last checkpoint, so writing checkpoints costs at most as
  /// much as writing the journal.
  private static let bytesMin: Int64 = 1 << 20
  /// The minimum when the store closes, and at least a small part of the last checkpoint's length.
  ///
  /// It is lower, because the next opening has to read the bytes after the checkpoint.
  private static let closingBytesMin: Int64 = 1 << 16
  private static let closingPart: Int64 = 8

  private let side: SideFolder
  private let fileSystem: any FileSystem
  private let definition: [UInt8]
  /// Whether a checkpoint is used only if every byte that it covers is unchanged, so that new
  /// damage is found.
  private let looksAtAll: Bool
  /// The last checkpoint that was read or written: the end of the bytes that it covers, its length,
  /// and the CRC-32C of these bytes.
  private var last: (offset: Int64, byteCount: Int64, contents: UInt32) = (0, 0, 0)
  /// The bytes that were read again for bases, which the next checkpoint will contain.
  private var rereadBytes: Int64 = 0

  init(
    beside journal: String, _ catalog: SchemaCatalog, _ fileSystem: any FileSystem,
    lookingAtAll looksAtAll: Bool
  ) {
    self.looksAtAll = looksAtAll
    side = SideFolder(beside: journal, fileSystem: fileSystem)
    self.fileSystem = fileSystem
    definition = Fold.definition(catalog)
  }

  // MARK: - Reading

  /// Returns a pass that continues after the checkpoint, or nil to read from the first line.
  mutating func begin(
    _ file: JournalFile, _ blank: StoreSink, user: String?
  ) -> (pass: JournalPass<StoreSink>, bases: ConflictBases?)? {
    last = (0, 0, 0)
    rereadBytes = 0
    guard let stored = StoredState(beside: file, blank.fold.catalog, fileSystem),
      stored.fold.refs != nil,
      !looksAtAll || stored.checkpoint.origin.isWhole(in: file, fileSystem)
    else { return nil }
    var sink = blank
    let reading = JournalReading(
      path: file.path, fileSystem: fileSystem, file: file.descriptor)
    guard
      let projections = StoredProjections.read(
        sink.projections.map { type(of: $0) }, of: stored, reading)
    else { return nil }
    sink.fold = stored.fold
    sink.projections = projections
    guard let pass = try? stored.pass(sink, blank: blank, user: user) else { return nil }
    let origin = stored.checkpoint.origin
    last = (origin.offset, Int64(stored.reading.byteCount), origin.contents)
    return (pass, stored.bases)
  }

  // MARK: - Writing

  /// Records that the journal was read again up to `offset`.
  mutating func noteRereading(upTo offset: Int64) { rereadBytes += offset }

  /// Whether a checkpoint of the lines up to `offset` is worth writing.
  func isDue(at offset: Int64, closing isClosing: Bool) -> Bool {
    let least =
      isClosing
      ? max(Self.closingBytesMin, last.byteCount / Self.closingPart)
      : max(Self.bytesMin, last.byteCount)
    return offset - last.offset + rereadBytes >= least
  }

  /// Writes a checkpoint of the writer's state, if possible.
  ///
  /// A failure only slows down the next opening.
  mutating func keep(_ writer: JournalWriter<StoreSink>, _ bases: ConflictBases?) {
    guard let write = writing(writer, bases) else { return }
    last.byteCount = Int64(write())
  }

  /// Returns a closure that writes this checkpoint and returns its length, or nil if there can't be
  /// one now.
  ///
  /// Call the closure once, on any thread.
  mutating func writing(
    _ writer: JournalWriter<StoreSink>, _ bases: ConflictBases?
  ) -> (@Sendable () -> Int)? {
    guard
      let origin = writer.checkpointOrigin(definition, known: (last.offset, last.contents))
    else { return nil }
    let (pass, side) = (writer.pass, side)
    // The next attempt has to be worth it again, even if this one fails.
    (last.offset, last.contents) = (origin.offset, origin.contents)
    rereadBytes = 0
    return {
      var checkpoint = StoredState.checkpoint(of: pass, pass.sink.fold, bases, origin)
      StoredProjections.add(pass.sink.projections, to: &checkpoint)
      let bytes = checkpoint.sealed
      // Don't write a checkpoint larger than the lines it replaces.
      if bytes.count <= origin.offset { side.writeCheckpoint(bytes, of: origin.definition) }
      // It may contain what another process has erased since.
      let count = pass.ledger.erasures.statements.count
      if side.erasureCounts.known > count { side.removeCheckpoints() }
      return bytes.count
    }
  }
}
