import EventLog
import EventLogInspection
import EventLogTesting

/// Folds histories as any journal does: through a file.
final class HistoryJournal {
  private let folder: TemporaryFolder
  let path: String
  let journal: Journal

  init(_ catalog: SchemaCatalog = .withFood) throws {
    folder = try TemporaryFolder()
    path = folder.file("ada.jsonl")
    journal = Journal(path: path, catalog: catalog)
  }

  /// The state of the history, or of other lines in its place.
  func read(_ history: History, lines: [[UInt8]]? = nil) throws -> JournalSnapshot {
    try history.write(to: path, lines: lines)
    return try journal.snapshot()
  }

  /// The state of a history, which must be undamaged.
  func snapshot(_ history: History, lines: [[UInt8]]? = nil) throws -> Snapshot {
    let read = try read(history, lines: lines)
    if let first = read.firstDamage { throw Unsound(problem: first) }
    return read.snapshot
  }

  /// The report of `verify`.
  func verify(_ history: History, lines: [[UInt8]]? = nil) throws -> VerificationReport {
    try history.write(to: path, lines: lines)
    return try journal.verify()
  }

  struct Unsound: Error {
    let problem: JournalProblem
  }
}

func project(_ history: History, _ catalog: SchemaCatalog = .withFood) throws -> Snapshot {
  try HistoryJournal(catalog).snapshot(history)
}

extension Snapshot {
  /// The shown value of a field of `profile`, `settings`, `<kind>/<key>` or `<kind>/<key>@<date>`,
  /// also of a deleted entity.
  func shown(_ row: String, _ field: String) -> JSONValue? {
    let parts = row.split(separator: "@").map(String.init)
    guard let id = EntityID(parts[0]) else {
      return singleton(row).first { $0.name == field }?.shown
    }
    let entity = entities(id.kind, includingDeleted: true).first { $0.id == id }
    if parts.count == 1 { return entity?[field] }
    return entity?.days.first { $0.day == Day(parts[1]) }?[field]
  }

  /// The conflict with an ID `<row>#<field>`.
  func conflict(_ id: String) -> Conflict? { conflicts.first { $0.id == id } }

  /// Whether an entity is visible.
  func isVisible(_ entity: String) -> Bool {
    let id = EntityID(entity)!
    return entities(id.kind).contains { $0.id == id }
  }
}

extension Conflict {
  /// The candidates' values, in the order of the candidates.
  var values: [JSONValue] { candidates.map(\.value) }
}

extension Timestamp {
  /// A time in minutes after noon of an ordinary day.
  static func minute(_ minutes: Int64) -> Timestamp {
    Timestamp(milliseconds: Timestamp("2026-01-28T12:00:00Z")!.milliseconds + minutes * 60_000)!
  }
}

/// A phone and a tablet that both hold one habit, `habit/read`, and nothing else.
struct TwoDevices {
  var history = History(user: "ada")
  let phone: DeviceID
  let tablet: DeviceID

  init() {
    phone = history.device("phone")
    tablet = history.device("tablet")
    history.append(phone, "habit.created", "habit/read", ["name": "Read"])
    meet()
  }

  /// Syncs the devices in both directions.
  mutating func meet() { history.syncAll() }

  func project() throws -> Snapshot { try EventLogTests.project(history) }
}
