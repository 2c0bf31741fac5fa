import EventLogTesting
import Testing

@testable import EventLog

/// Readings of a file that stop, are stored in a checkpoint, and resume.
final class StoredReading {
  private let folder: TemporaryFolder
  let path: String
  let catalog: SchemaCatalog
  private let fileSystem = SystemFileSystem()

  init(_ catalog: SchemaCatalog = .withFood) throws {
    folder = try TemporaryFolder()
    path = folder.file("ada.jsonl")
    self.catalog = catalog
  }

  /// The state of a stopped reading, and its findings at the end of the file.
  struct Stopped {
    var pass: JournalPass<Fold>
    var end: JournalReading.End
    var bases: ConflictBases
  }

  /// A fold without events.
  private var blank: Fold {
    var fold = Fold(catalog)
    fold.refs = ByteInterner()
    return fold
  }

  func put(_ lines: some Sequence<[UInt8]>) throws {
    let file = try fileSystem.open(path, .create)
    defer { fileSystem.close(file) }
    try fileSystem.truncate(file, to: 0)
    try fileSystem.writeAll(file, lines.flatMap { $0 }, at: 0)
  }

  /// Reads the file to its end, resuming after `stopped`.
  func read(resuming stopped: Stopped? = nil) throws -> Stopped {
    let file = try fileSystem.open(path, .read)
    defer { fileSystem.close(file) }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file)
    var pass = stopped?.pass ?? JournalPass(sink: blank)
    let end = try reading.read(into: &pass, record: nil)
    // A restarted pass may number branches differently, so kept bases don't apply.
    let isAnew = pass.restartCount != stopped?.pass.restartCount ?? 0
    var bases = isAnew ? ConflictBases() : stopped?.bases ?? ConflictBases()
    try bases.update(
      for: pass.sink.openConflicts(pass.ledger), in: pass.sink, pass.ledger,
      reread: JournalRereading(reading, upTo: pass.endOffset, after: pass))
    return Stopped(pass: pass, end: end, bases: bases)
  }

  /// Calls `body` with a rereading of the file up to the end of a stopped reading.
  func withRereading(of stopped: Stopped, _ body: (JournalRereading) throws -> Void) throws {
    let file = try fileSystem.open(path, .read)
    defer { fileSystem.close(file) }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file)
    try body(JournalRereading(reading, upTo: stopped.pass.endOffset, after: stopped.pass))
  }

  static func checkpoint(of stopped: Stopped) -> Checkpoint {
    let last = stopped.pass.lastGood
    return StoredState.checkpoint(
      of: stopped.pass, stopped.pass.sink, stopped.bases,
      Checkpoint.Origin(
        definition: [1], file: .init(inode: .max, birth: -1),
        mark: ResumePoint(
          endOffset: stopped.pass.endOffset,
          lastLineEnd: last.map { $0.offset + Int64($0.byteCount) } ?? 26,
          lastLineTail: [UInt8](repeating: 7, count: 26)), contents: 5))
  }

  /// Restores a stopped reading from the bytes of a checkpoint.
  func restored(_ checkpoint: Checkpoint) throws -> Stopped {
    let state = try StoredState(try Checkpoint(sealed: checkpoint.sealed), catalog)
    return Stopped(
      pass: try state.pass(state.fold, blank: blank), end: JournalReading.End(),
      bases: state.bases ?? ConflictBases())
  }

  static func snapshot(_ stopped: Stopped) -> Snapshot {
    Snapshot(
      fold: stopped.pass.sink, ledger: stopped.pass.ledger,
      damage: stopped.pass.report.problems, bases: stopped.bases)
  }

  /// Everything stored about a stopped reading, as bytes.
  static func bytes(_ stopped: Stopped) -> [UInt8] { checkpoint(of: stopped).sealed }
}

extension SplitMix64 {
  /// Damages lines like disks, editors and copies do: repeats, removes, breaks or moves some, or
  /// adds a second event with the same ID.
  mutating func damaged(_ lines: [[UInt8]]) -> [[UInt8]] {
    var lines = lines
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      let index = Int.random(in: 0..<lines.count, using: &self)
      let later = Int.random(in: index..<lines.count, using: &self)
      switch Int.random(in: 0..<7, using: &self) {
      case 0: lines.insert(lines[index], at: later + 1)
      case 1: lines.remove(at: index)
      case 2 where lines[index].count > 60:
        // Some broken lines are repeated intact later.
        if once(in: 2) { lines.insert(lines[index], at: later + 1) }
        lines[index] = Sandbox.broken(lines[index])
      case 3: lines.swapAt(index, later)
      case 4: lines.insert(Array("not a line\n".utf8), at: index)
      case 5: lines.insert([0x20, 0x0A], at: index)
      default:
        // Replaces an event by another one with its ID, or adds that one.
        var covered = Array(lines[index].dropLast(27))
        guard let digit = covered.lastIndex(where: { $0 == UInt8(ascii: "}") }) else { continue }
        covered.replaceSubrange(digit...digit, with: Array(#","other":1}"#.utf8))
        if covered.suffix(12).first == UInt8(ascii: "{") { continue }
        let before = LineChecksum(text: lines[index].dropLast(3).suffix(16))?.before ?? 0
        let other = sealed(covered, after: before) + [0x0A]
        if once(in: 2) { lines[index] = other } else { lines.insert(other, at: later + 1) }
      }
      if lines.isEmpty { return lines }
    }
    return lines
  }
}
