import EventLog
import EventLogImport

/// One call of `eventlog import --undo`.
struct ImportUndoRun {
  private let target: ImportTarget

  init(_ arguments: Arguments, _ console: Console) throws {
    target = try ImportTarget(arguments, console)
    guard arguments.operands.count == 1 else {
      throw EventLogError.usage("--undo takes a source, and no file.", "import")
    }
    for name in ["map", "source", "zone", "dates", "locale", "place"] where arguments.has(name) {
      throw EventLogError.usage("--undo and --\(name) exclude each other.", "import")
    }
  }

  func perform(_ source: String) async throws -> Verb.ExitStatus {
    let store = EventStore.unread(
      path: target.path, options: target.options, catalog: target.catalog)
    // The user is known once the journal is read.
    try await store.refresh()
    return try await DeviceUndoRun(
      path: target.path, store: store, isDryRun: target.isDryRun, console: target.console
    ).perform(source, keptTitle: UndoOutput.keptByImport) { isDryRun in
      isDryRun
        ? try await store.dryRunUndoOfImport(of: source) : try await store.undoImport(of: source)
    }
  }
}
