import EventLog
import EventLogCollections
import EventLogInspection

/// The note about a schema file, printed once per run.
final class SchemaNotes {
  private(set) var text: String?

  /// Notes that the schema file of an app can't be read.
  func noteUnread(_ path: String, _ error: EventLogError) {
    text =
      "Note: The app's declarations in \(path) were ignored. \(error.message) The next opening of"
      + " the app writes them again; a newer eventlog may read them."
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
    text =
      "Note: \(path) takes the place of what is built in as \(kinds.joined(separator: ", "))."
  }
}
