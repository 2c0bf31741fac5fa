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
  struct Place {
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

  /// Reads the file to its end, resuming after `place`.
  func read(on place: Place? = nil) throws -> Place {
    let file = try fileSystem.open(path, .read)
    defer { fileSystem.close(file) }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file)
    var pass = place?.pass ?? JournalPass(sink: blank)
    let end = try reading.read(into: &pass, record: nil)
    // A restarted pass may number branches differently, so kept bases don't apply.
    let isAnew = pass.restartCount != place?.pass.restartCount ?? 0
    var bases = isAnew ? ConflictBases() : place?.bases ?? ConflictBases()
    try bases.update(
      for: pass.sink.openConflicts(pass.ledger), in: pass.sink, pass.ledger,
      reread: JournalRereading(reading, upTo: pass.endOffset, after: pass))
    return Place(pass: pass, end: end, bases: bases)
  }

  /// Calls `body` with a rereading of the file up to the end of a stopped reading.
  func withRereading(of place: Place, _ body: (JournalRereading) throws -> Void) throws {
    let file = try fileSystem.open(path, .read)
    defer { fileSystem.close(file) }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file)
    try body(JournalRereading(reading, upTo: place.pass.endOffset, after: place.pass))
  }

  static func checkpoint(of place: Place) -> Checkpoint {
    let last = place.pass.lastGood
    return StoredState.checkpoint(
      of: place.pass, place.pass.sink, place.bases,
      Checkpoint.Origin(
        definition: [1], file: .init(inode: .max, birth: -1),
        mark: ResumePoint(
          endOffset: place.pass.endOffset,
          lastLineEnd: last.map { $0.offset + Int64($0.byteCount) } ?? 26,
          lastLineTail: [UInt8](repeating: 7, count: 26)), contents: 5))
  }

  /// Restores a stopped reading from the bytes of a checkpoint.
  func restored(_ checkpoint: Checkpoint) throws -> Place {
    let state = try StoredState(try Checkpoint(sealed: checkpoint.sealed), catalog)
    return Place(
      pass: try state.pass(state.fold, blank: blank), end: JournalReading.End(),
      bases: state.bases ?? ConflictBases())
  }

  static func snapshot(_ place: Place) -> Snapshot {
    Snapshot(
      fold: place.pass.sink, ledger: place.pass.ledger,
      damage: place.pass.report.problems, bases: place.bases)
  }

  /// Everything stored about a stopped reading, as bytes.
  static func bytes(_ place: Place) -> [UInt8] { checkpoint(of: place).sealed }
}

extension SplitMix64 {
  /// Damages lines like disks, editors and copies do: repeats, removes, breaks or moves some, or
  /// adds a second event with the same ID.
  mutating func damaged(_ lines: [[UInt8]]) -> [[UInt8]] {
    var lines = lines
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      let place = Int.random(in: 0..<lines.count, using: &self)
      let later = Int.random(in: place..<lines.count, using: &self)
      switch Int.random(in: 0..<7, using: &self) {
      case 0: lines.insert(lines[place], at: later + 1)
      case 1: lines.remove(at: place)
      case 2 where lines[place].count > 60:
        // Some broken lines are repeated intact later.
        if once(in: 2) { lines.insert(lines[place], at: later + 1) }
        lines[place] = Sandbox.broken(lines[place])
      case 3: lines.swapAt(place, later)
      case 4: lines.insert(Array("not a line\n".utf8), at: place)
      case 5: lines.insert([0x20, 0x0A], at: place)
      default:
        // Replaces an event by another one with its ID, or adds that one.
        var covered = Array(lines[place].dropLast(27))
        guard let digit = covered.lastIndex(where: { $0 == UInt8(ascii: "}") }) else { continue }
        covered.replaceSubrange(digit...digit, with: Array(#","other":1}"#.utf8))
        if covered.suffix(12).first == UInt8(ascii: "{") { continue }
        let before = LineChecksum(text: lines[place].dropLast(3).suffix(16))?.before ?? 0
        let other = sealed(covered, after: before) + [0x0A]
        if once(in: 2) { lines[place] = other } else { lines.insert(other, at: later + 1) }
      }
      if lines.isEmpty { return lines }
    }
    return lines
  }
}
