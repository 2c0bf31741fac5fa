import EventLog
import EventLogTesting

/// Folds histories by the way every journal takes: through a file.
final class HistoryJournal {
  private let folder: TemporaryFolder
  let path: String
  let journal: Journal

  init(_ catalog: SchemaCatalog = .withFood) throws {
    folder = try TemporaryFolder()
    path = folder.file("ada.jsonl")
    journal = Journal(path: path, catalog: catalog)
  }

  /// The state of the history, or of other lines that stand for it.
  func read(_ history: History, lines: [[UInt8]]? = nil) throws -> JournalSnapshot {
    try history.write(to: path, lines: lines)
    return try journal.snapshot()
  }

  /// The state of a history that must be sound.
  func snapshot(_ history: History, lines: [[UInt8]]? = nil) throws -> Snapshot {
    let read = try read(history, lines: lines)
    if let first = read.firstDamage { throw Unsound(problem: first) }
    return read.snapshot
  }

  /// What a check of every line finds.
  func verify(_ history: History, lines: [[UInt8]]? = nil) throws -> VerificationReport {
    try history.write(to: path, lines: lines)
    return try journal.verify()
  }

  struct Unsound: Error {
    let problem: JournalProblem
  }
}

/// The state of a history.
func project(_ history: History, _ catalog: SchemaCatalog = .withFood) throws -> Snapshot {
  try HistoryJournal(catalog).snapshot(history)
}
