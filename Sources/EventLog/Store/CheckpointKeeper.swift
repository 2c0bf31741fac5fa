/// Reads the checkpoint of a store's journal when a reading begins anew, and writes one when enough
/// has come behind the last.
struct CheckpointKeeper {
  /// While a store is open: a checkpoint is written once as much lies behind the last one as it is
  /// long, but at least this much. So writing them costs at most as much as writing the journal.
  private static let bytesMin: Int64 = 1 << 20
  /// When it closes, the next opening is at hand: what lies behind has to cost more than a small
  /// part of reading the checkpoint itself.
  private static let closingBytesMin: Int64 = 1 << 16
  private static let closingPart: Int64 = 8

  private let side: SideFolder
  private let fileSystem: any FileSystem
  private let definition: [UInt8]
  /// Whether a reading begins behind the checkpoint only where every byte before is the same:
  /// damage that nobody has seen is found.
  private let looksAtAll: Bool
  /// Where the last checkpoint ends that was read or written, how long it is, and what it tells of
  /// the bytes before.
  private var last: (offset: Int64, byteCount: Int64, contents: UInt32) = (0, 0, 0)
  /// Bytes read once more, for what the next checkpoint will tell.
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

  /// Where a reading of `file` may begin, with what the sink holds then; nil: at the first line.
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

  /// Takes note that the journal was read once more up to `offset`.
  mutating func noteRereading(upTo offset: Int64) { rereadBytes += offset }

  /// Whether a checkpoint of what was read up to `offset` is worth its writing.
  func isDue(at offset: Int64, closing isClosing: Bool) -> Bool {
    let least =
      isClosing
      ? max(Self.closingBytesMin, last.byteCount / Self.closingPart)
      : max(Self.bytesMin, last.byteCount)
    return offset - last.offset + rereadBytes >= least
  }

  /// Writes a checkpoint of what the writer has read, if it may be kept. Where that fails, the next
  /// opening takes longer, and nothing else.
  mutating func keep(_ writer: JournalWriter<StoreSink>, _ bases: ConflictBases?) {
    guard let write = writing(writer, bases) else { return }
    last.byteCount = Int64(write())
  }

  /// What writes that checkpoint and returns its length, to be called once, on any thread.
  mutating func writing(
    _ writer: JournalWriter<StoreSink>, _ bases: ConflictBases?
  ) -> (@Sendable () -> Int)? {
    guard
      let origin = writer.checkpointOrigin(definition, known: (last.offset, last.contents))
    else { return nil }
    let (pass, side) = (writer.pass, side)
    // Written or not, the next attempt has to be worth it again.
    (last.offset, last.contents) = (origin.offset, origin.contents)
    rereadBytes = 0
    return {
      var checkpoint = StoredState.checkpoint(of: pass, pass.sink.fold, bases, origin)
      StoredProjections.add(pass.sink.projections, to: &checkpoint)
      let bytes = checkpoint.sealed
      // One longer than what it spares would be no gain to read.
      if bytes.count <= origin.offset { side.writeCheckpoint(bytes, of: origin.definition) }
      return bytes.count
    }
  }
}
