import EventLog
import EventLogAccounts

/// One call of `eventlog adopt --undo`.
struct AdoptionUndoRun {
  private let path: String
  private let store: EventStore
  private let isDryRun: Bool
  private let console: Console

  init(_ path: String, _ store: EventStore, _ arguments: Arguments, _ console: Console) {
    self.path = path
    self.store = store
    self.console = console
    isDryRun = arguments.has("plan")
  }

  func perform(_ user: String) async throws -> Verb.ExitStatus {
    let report =
      isDryRun
      ? try await store.dryRunUndoOfAdoption(of: user) : try await store.undoAdoption(of: user)
    try UndoOutput(report, of: user, path: path, dryRun: isDryRun, console).print()
    console.note(undeclared: store.snapshot.unknownNames, in: path)
    try? await store.close()
    return .yes
  }
}
