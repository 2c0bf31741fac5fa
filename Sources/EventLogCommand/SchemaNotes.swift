import EventLog
import EventLogCollections
import EventLogInspection

/// The notes about schema files, printed once per run.
final class SchemaNotes {
  private var notes: [String] = []

  private func add(_ note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// The notes, or nil if there are none.
  var text: String? { notes.isEmpty ? nil : notes.joined(separator: "\n") }

  /// Notes that the schema file of an app can't be read.
  func noteUnread(_ path: String, _ error: EventLogError) {
    add(
      "Note: The declarations in \(Visible.text(path)) can't be read, so the app's records may be"
        + " missing here. \(error.message)")
  }

  /// Notes which bundled collections are left out.
  ///
  /// Collections outside the core aren't mentioned if the file redeclares their kind: it was
  /// probably made from the bundled declaration.
  func noteOmitted(
    _ omitted: [CollectionSchema], declared: [CollectionSchema], _ path: String
  ) {
    let core = SchemaCatalog.standard.collections
    let kinds = omitted.filter { own in
      core.contains(own) || !declared.contains { $0.kind == own.kind }
    }.map(\.kind)
    if kinds.isEmpty { return }
    add(
      "Note: \(path) takes the place of what is built in as \(kinds.joined(separator: ", ")).")
  }
}
