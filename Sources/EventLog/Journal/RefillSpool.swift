/// Lines on their way into a journal with holes: they are kept in a file of its side folder until
/// all have come, because the journal is then rewritten once.
final class RefillSpool {
  /// Nil where lines are only looked at.
  private let storage: Storage?
  private var size: Int64 = 0
  /// How many lines were taken down.
  private(set) var count: Int64 = 0
  /// What the lines come to, behind what the journal holds without a gap.
  private var batch: JournalBatch<LedgerSink>

  private struct Storage {
    let fileSystem: any FileSystem
    let path: String
    let file: FileDescriptor
  }

  /// - Parameters:
  ///   - side: keeps the lines; nil where they are only looked at.
  ///   - batch: judges them.
  init(
    in side: SideFolder?, _ batch: consuming JournalBatch<LedgerSink>
  ) throws(EventLogError) {
    self.batch = batch
    guard let side else {
      storage = nil
      return
    }
    let path = try side.spoolPath()
    do throws(Errno) {
      storage = Storage(
        fileSystem: side.fileSystem, path: path,
        file: try side.fileSystem.open(path, .createNew))
    } catch {
      throw .inputOutput("write", path, error, meaning: "Nothing was changed.")
    }
  }

  deinit {
    guard let storage else { return }
    storage.fileSystem.close(storage.file)
    try? storage.fileSystem.remove(storage.path)
  }

  var isEmpty: Bool { size == 0 }
  var isRehearsal: Bool { storage == nil }

  /// Takes lines down, each checked completely before.
  func receive(
    _ lines: LineBatch, on terms: ReceivingTerms
  ) throws(EventLogError) -> Reception {
    let reception = batch.receive(lines.bytes, on: terms)
    if let storage {
      do throws(Errno) {
        try storage.fileSystem.writeAll(storage.file, batch.bytes, at: size)
      } catch {
        throw .inputOutput("write", storage.path, error, meaning: "Nothing was changed.")
      }
    }
    size += Int64(batch.bytes.count)
    count += reception.received.count
    batch.forgetBytes()
    return reception
  }

  /// Hands out what was taken down.
  func readBatches(
    _ body: (LineBatch) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    guard let storage else { return }
    var collector = Collector()
    var scanner = LineScanner()
    var offset: Int64 = 0
    while offset < size {
      var reader = LineReader(from: offset)
      do throws(Errno) {
        try reader.readLines(
          of: storage.file, in: storage.fileSystem, upTo: size, scanner: &scanner, into: &collector)
      } catch {
        throw .inputOutput("read", storage.path, error, meaning: "Nothing was changed.")
      }
      offset = collector.isStopped ? reader.resumeOffset : size
      try body(collector.batch)
      collector.batch = LineBatch()
    }
  }

  private struct Collector: LineSink {
    var batch = LineBatch()
    var isStopped: Bool { batch.isFull }

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      batch.add(line)
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
  }
}
