import EventLogTesting
import Testing

@testable import EventLog

/// A journal in memory whose reading continues after each append, as in a store.
final class GrowingJournal {
  private let disk = MemoryFileSystem()
  private let path = "/ada.jsonl"
  private var end: Int64 = 0
  private(set) var pass: JournalPass<Fold>
  private var bases = ConflictBases()
  /// Whether the journal is refused, because only other users than the given one have joined.
  private(set) var isRefused = false

  /// - Parameter user: the expected user of the journal.
  init(user: String?) {
    pass = JournalPass(sink: Fold(.withFood))
    pass.ledger.users.explicitUser = user
  }

  /// Appends lines, each with its LF.
  func append(_ lines: some Sequence<[UInt8]>) throws {
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    let bytes = lines.flatMap { $0 }
    try disk.writeAll(file, bytes, at: end)
    end += Int64(bytes.count)
  }

  /// Reads the appended lines.
  func read() throws {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    let restartCount = pass.restartCount
    isRefused = false
    do throws(EventLogError) {
      _ = try reading(file).read(into: &pass, record: nil)
    } catch {
      guard error.code == .otherUser else { throw error }
      isRefused = true
    }
    // After a restart, candidates may have seen more.
    if pass.restartCount != restartCount { bases = ConflictBases() }
  }

  /// The state of all lines read.
  func snapshot() throws -> Snapshot {
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    try bases.update(
      for: pass.sink.openConflicts(pass.ledger), in: pass.sink, pass.ledger,
      reread: JournalRereading(reading(file), upTo: pass.endOffset, after: pass))
    return Snapshot(fold: pass.sink, ledger: pass.ledger, damage: [], bases: bases)
  }

  /// The state at a cut, read as by the command line.
  func part(_ cut: Cut, includingDeleted: Bool) throws -> Snapshot {
    try Journal(
      path: path, catalog: .withFood, fileSystem: disk, user: pass.ledger.users.explicitUser
    ).snapshot(at: cut, includingDeleted: includingDeleted).snapshot
  }

  private func reading(_ file: FileDescriptor) -> JournalReading {
    JournalReading(path: path, fileSystem: disk, file: file)
  }

  /// Reads the journal of some lines at once.
  static func reading(_ lines: some Sequence<[UInt8]>, user: String?) throws -> GrowingJournal {
    let journal = GrowingJournal(user: user)
    try journal.append(lines)
    try journal.read()
    return journal
  }
}

extension Ledger {
  /// Returns the first difference between the ledger and the reference, or nil.
  func difference(from reference: ReferenceHistories) -> String? {
    let found = tips.map(fullID).sorted()
    if found != reference.tips { return "tips \(found), not \(reference.tips)" }
    if missing != reference.missing { return "missing \(missing), not \(reference.missing)" }
    let points = reference.ids.map { locate($0) }
    for event in reference.shown.numbers {
      guard let point = points[event], isHeld(point) else {
        return "\(reference.ids[event]) is not held"
      }
      let clock = self.clock(of: Int(point.branch), at: point.sequence)
      let expected = reference.clock(of: event)
      for other in reference.ids.indices {
        guard let seen = points[other] else { continue }
        let hasSeen =
          Int(seen.branch) < clock.count && clock[Int(seen.branch)] >= seen.sequence
        if hasSeen != expected.contains(other) {
          let verb = hasSeen ? "has" : "has not"
          return "\(reference.ids[event]) \(verb) seen \(reference.ids[other])"
        }
      }
    }
    for event in reference.waiting.numbers where points[event].map(isHeld) == true {
      return "\(reference.ids[event]) counts, in an unfinished batch"
    }
    return nil
  }
}
