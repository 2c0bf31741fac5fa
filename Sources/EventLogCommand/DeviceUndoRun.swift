import EventLog
import EventLogUndo

/// One call of a verb with `--undo`, which hides the writes of a user or a source.
struct DeviceUndoRun {
  let path: String
  let store: EventStore
  let isDryRun: Bool
  let console: Console

  /// - Parameters:
  ///   - name: The user or the source whose writes are undone.
  ///   - keptTitle: The heading of the entities that stay.
  ///   - undo: Undoes the writes, or plans that if its argument is true.
  func perform(
    _ name: String, keptTitle: String, _ undo: (_ isDryRun: Bool) async throws -> DeviceUndoReport
  ) async throws -> Verb.ExitStatus {
    let report = try await undo(isDryRun)
    try UndoOutput(
      report, of: name, path: path, dryRun: isDryRun, keptTitle: keptTitle, console
    ).print()
    console.note(undeclared: store.snapshot.unknownNames, in: path)
    try? await store.close()
    return .yes
  }
}
