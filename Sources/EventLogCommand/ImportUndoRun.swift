import EventLog
import EventLogImport

/// One call of `eventlog import --undo`.
struct ImportUndoRun {
  private let path: String
  private let store: EventStore
  private let isDryRun: Bool
  private let console: Console

  init(_ arguments: Arguments, _ console: Console) throws {
    path = try Verb.journal(arguments, "import")
    try arguments.checkNewUser(of: path)
    guard arguments.operands.count == 1 else {
      throw EventLogError.usage("--undo takes a source, and no file.", "import")
    }
    for name in ["map", "source", "zone", "dates", "locale", "place"] where arguments.has(name) {
      throw EventLogError.usage("--undo and --\(name) exclude each other.", "import")
    }
    store = EventStore.unread(
      path: path, options: JournalOptions(user: arguments["user"]),
      catalog: try arguments.catalog())
    isDryRun = arguments.has("plan")
    self.console = console
  }

  func perform(_ source: String) async throws -> Verb.ExitStatus {
    // The user is known once the journal is read.
    try await store.refresh()
    return try await DeviceUndoRun(
      path: path, store: store, isDryRun: isDryRun, console: console
    ).perform(source, keptTitle: UndoOutput.keptByImport) { isDryRun in
      isDryRun
        ? try await store.dryRunUndoOfImport(of: source) : try await store.undoImport(of: source)
    }
  }
}
